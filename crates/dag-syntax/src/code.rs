//! Every rule of the language that can refuse a model, with its stable code.

/// Declares the codes: variant, code, and the rule in one sentence.
macro_rules! codes {
    ($($variant:ident = $code:literal, $rule:literal;)*) => {
        /// A rule of the language. The code never changes its meaning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code {
            $(#[doc = $rule] $variant,)*
        }

        impl Code {
            /// Every code, in order.
            pub const ALL: &[Code] = &[$(Code::$variant,)*];

            /// The printed code, `E0101` for instance.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$variant => $code,)* }
            }

            /// The rule in one sentence.
            #[must_use]
            pub fn rule(self) -> &'static str {
                match self { $(Code::$variant => $rule,)* }
            }
        }
    };
}

codes! {
    // E01: the text
    UnexpectedToken = "E0101", "The text must follow the grammar.";
    UnterminatedString = "E0102", "A string ends with a double quote.";
    BadNumber = "E0103", "An integer fits in 64 bits, signed; a float has digits on both sides of its point; a `_` stands between two digits, and no needless zero before them.";
    UnknownCharacter = "E0104", "Only the characters of the grammar may stand outside strings and annotations.";
    TooDeep = "E0105", "Expressions, types and patterns nest at most 500 deep.";
    MisplacedAnnotation = "E0106", "An annotation stands on lines of its own between module items and attaches to the item below it.";
    UnknownEscape = "W0107", "An unknown escape in a string is kept as it is written.";
    AmbiguousMinus = "E0108", "A minus at the start of a line, or before a binary operator's left side, is ambiguous.";
    MissingModuleLine = "E0109", "A file starts with its `module` line.";
    NotUtf8 = "E0110", "A module is UTF-8 text.";
    MisplacedTest = "E0111", "A `test` item stands in a file whose name ends in `_test.dag`.";
    AmbiguousBracket = "E0112", "A bracket does not start a line where it could belong to the line above.";

    // E02: modules and names
    DuplicateModule = "E0201", "A module has one file.";
    UnknownModule = "E0202", "An imported module exists under the roots or in the library.";
    ImportCycle = "E0203", "Imports have no cycle.";
    UnknownImport = "E0204", "An imported name is declared by the module it is imported from.";
    DuplicateName = "E0205", "A name is declared once in a module, and once in a list of fields, variants or parameters.";
    UnknownName = "E0206", "A name is declared here, listed in an import, fully qualified and loaded, or in the prelude.";
    UnknownType = "E0207", "A type's name is bound the way every name is.";
    TestImport = "E0208", "Only a test file imports a test file.";
    UnusedImport = "W0209", "An imported name or an alias is used.";

    // E03: types
    TypeMismatch = "E0301", "A value has the type of the position it stands in.";
    UnknownField = "E0302", "A field is declared by the record or variant.";
    MissingField = "E0303", "A record or variant is given all its fields.";
    WrongArguments = "E0304", "A call gives each parameter exactly one argument.";
    NotCallable = "E0305", "Only a function is called.";
    TypeArguments = "E0306", "A generic type is given as many arguments as it has parameters.";
    CannotInfer = "E0307", "Every type is known from its declarations and uses.";
    BadCast = "E0308", "`as` converts between numbers and text, widens to a base type or enters a refinement.";
    RefinementBroken = "E0309", "A value satisfies the refinement of its type.";
    BadOperand = "E0310", "An operator is applied to types it is defined for.";
    BadTypeDeclaration = "E0311", "A type declaration describes a type that can be built and ends.";
    WitnessNotBool = "E0312", "A witness returns Bool and takes no parameters.";
    NotInterpolable = "E0313", "A function cannot be shown as text.";
    NoReturnValue = "E0314", "An `if` that gives a value has an `else`.";
    BadKey = "E0315", "A key of a map or set holds no Float and no function.";
    UnusedValue = "W0316", "A statement does something, or its value is used.";
    Unreachable = "W0317", "A statement can be reached.";

    // E04: match
    NonExhaustive = "E0401", "A match has an arm for every value.";
    RedundantArm = "E0402", "Every arm of a match can be reached.";
    BadPattern = "E0403", "A pattern has the type of what it is matched against.";
    MatchTooLarge = "E0404", "A match is small enough that its arms can be compared.";

    // E05: totality
    NoDescent = "E0501", "Every recursive call descends, so that evaluation ends.";
    DataCycle = "E0502", "A `data` item does not depend on itself.";

    // E06: evidence
    ForgedObservation = "E0601", "A value of an observed type is made by an observer, or in a test file.";
    SoleConstructor = "E0602", "A type with a sole constructor is built only in its own module.";
    SealedType = "E0603", "What a `nominal_opaque` type is made of is seen only in its own module.";
    NotAdmitted = "E0604", "A function with `admit_callers` is named only by its own module and by those it admits.";

    // E07: witnesses
    NoWitness = "E0701", "A test run finds at least one witness.";
    WitnessFailed = "E0702", "A witness is true.";

    // E08: evaluation
    Overflow = "E0801", "Integer arithmetic stays within 64 bits, signed.";
    DivisionByZero = "E0802", "Nothing is divided by zero.";
    RefinementRefused = "E0803", "A value built at run time satisfies the refinement of its type.";
    ConversionRefused = "E0804", "A converted value fits the type it is converted to.";
    FunctionCompared = "E0805", "Functions are not compared.";
    OutOfFuel = "E0806", "An evaluation stays within its step limit.";
    TooLarge = "E0807", "A value stays within the size limit.";
    KeyRefused = "E0808", "A key that a map or set is given at run time holds no Float and no function.";
    NotCarriedOut = "E0820", "An operation is answered by its mock, a recording or the host.";
    OutcomeRefused = "E0821", "An outcome has a row of the operation, and its output is text that fits.";
    NoGrant = "E0822", "A line of sudoers permits what an operation can ask, and nothing else.";

    // E09: services and workflows
    NoMeaning = "E0901", "A form says something that has a meaning.";
    BadService = "E0902", "A service says how each of its operations is carried out.";
    BadArgv = "E0903", "An argv is a list of words whose first is written out; no shell reads it.";
    BadOutput = "E0904", "An output field is filled from what its transport gives, in the type that this has.";
    BadStatus = "E0905", "A status has one row, and a row gives a value that the operation returns.";
    EffectOutsideWorkflow = "E0906", "Operations and workflows are called in the statements of a workflow.";
    SecretShown = "E0907", "A secret goes where only its receiver reads it.";
    BadNode = "E0908", "A node of a workflow has a name of its own, and comes after nodes that stand before it.";
    BadUse = "E0909", "A `uses` row says what carries out each capability of a resource.";
    ShellText = "E0910", "What a shell reads as a program is written out.";
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::Code;

    #[test]
    fn no_two_rules_share_a_code() {
        let mut codes: Vec<_> = Code::ALL.iter().map(|c| c.as_str()).collect();
        codes.dedup();
        codes.sort_unstable_by_key(|c| &c[1..]);
        let before = codes.len();
        codes.dedup();
        assert_eq!(before, codes.len());
        assert_eq!(before, Code::ALL.len());
    }
}
