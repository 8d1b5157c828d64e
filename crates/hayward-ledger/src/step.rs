//! The steps between which a process may die; crash tests stop at each.

/// A step that has just been completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    DirectoryMade,
    IgnoreStaged,
    IgnorePlaced,
    KeyStaged,
    KeyPlaced,
    DatabaseMade,
    SchemaWritten,
    WalOn,
    FirstHeadStaged,
    Opened,
    Begun,
    HeadMended,
    Inserted,
    HeadStaged,
    Committed,
    HeadPlaced,
}

/// Told of each step as it is completed.
pub(crate) type Watch<'a> = &'a mut dyn FnMut(Step);
