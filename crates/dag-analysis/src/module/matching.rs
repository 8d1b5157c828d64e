//! Matches and their patterns.

use super::Checker;
use super::coerce::Because;
use super::construct::Named;
use crate::core::{Arm, Ctor, Expr, ExprId, Pattern, PatternId, Predicate, Run, Shape};
use crate::exhaustive::{self, Few, Redundant};
use crate::record::Target;
use crate::types::Ty;
use dag_syntax::{Code, Diagnostic, Location, Node, NodeId, Symbol, Token};
use rustc_hash::FxHashMap;

impl Checker<'_> {
    pub(super) fn match_expr(
        &mut self,
        node: NodeId,
        expected: Option<(Ty, Because)>,
    ) -> (ExprId, Ty) {
        let Some(scrutinee_node) = self.tree.expr_child(node) else {
            return self.invalid(node);
        };
        let (scrutinee, ty) = self.infer(scrutinee_node);
        let arm_nodes: Vec<NodeId> = self.tree.children_of(node, Node::Arm).collect();
        let mut sound = true;
        let mut arms = Vec::new();
        let mut inferred = Vec::new();
        let mut pattern_nodes = Vec::new();
        for arm in arm_nodes {
            let outer = self.locals.len();
            let (Some(pattern_node), Some(body_node)) =
                (self.tree.pattern_child(arm), self.tree.expr_child(arm))
            else {
                continue;
            };
            let first_bound = self.locals.len();
            let mistakes = self.mistakes();
            let pattern = self.pattern(pattern_node, ty);
            sound &= self.mistakes() == mistakes;
            self.refuse_repeated(first_bound, pattern_node);
            let bool = self.bool();
            let guard = self
                .tree
                .child(arm, Node::Guard)
                .and_then(|g| self.tree.expr_child(g));
            let guard = guard.map(|g| self.check(g, bool));
            let body = match &expected {
                Some((ty, because)) => self.check_because(body_node, *ty, *because),
                None => {
                    let (expr, ty) = self.infer(body_node);
                    inferred.push((body_node, expr, ty));
                    expr
                }
            };
            self.leave(outer);
            arms.push(Arm {
                pattern,
                guard,
                body,
            });
            pattern_nodes.push(pattern_node);
        }
        let result = match &expected {
            Some((ty, _)) => *ty,
            None => {
                let (bodies, ty) = self.joined(inferred);
                for (arm, body) in arms.iter_mut().zip(bodies) {
                    arm.body = body;
                }
                ty
            }
        };
        let start = self.body.arms.len() as u32;
        let len = arms.len() as u32;
        self.body.arms.extend(arms.iter().copied());
        if sound && !self.is_error(ty) {
            self.exhaustive(node, scrutinee_node, ty, &arms, &pattern_nodes);
        }
        (
            self.push(
                Expr::Match {
                    scrutinee,
                    arms: Run { start, len },
                },
                node,
            ),
            result,
        )
    }

    fn refuse_repeated(&mut self, first: usize, node: NodeId) {
        let names: Vec<Symbol> = self.locals[first..].iter().map(|(n, ..)| *n).collect();
        if let Some(twice) = names
            .iter()
            .enumerate()
            .find(|(i, n)| names[..*i].contains(n))
        {
            self.error(
                Code::DuplicateName,
                node,
                format!("the pattern names `{}` twice", twice.1),
            );
        }
    }

    fn exhaustive(
        &mut self,
        node: NodeId,
        scrutinee: NodeId,
        ty: Ty,
        arms: &[Arm],
        nodes: &[NodeId],
    ) {
        let seed = self.seed_ctor(ty);
        let keyword = self
            .tree
            .own_tokens(node)
            .find(|(kind, _)| *kind == Token::KwMatch)
            .map(|(_, index)| self.tree.tokens().span(index))
            .unwrap_or_else(|| self.tree.span(node));
        let at = Location {
            source: self.tree.source(),
            span: keyword.to(self.tree.span(scrutinee)),
        };
        let types = |ctor: Ctor| self.type_def(ctor.ty);
        let Ok(found) = exhaustive::check(&self.body, arms, seed, &self.few_numbers, &types) else {
            let error = Diagnostic::error(
                Code::MatchTooLarge,
                at,
                "the arms of this match are too many to compare",
            )
            .note("whether every value has an arm takes more work than is allowed")
            .cure("match one part at a time, each in a function of its own");
            self.report(error);
            return;
        };
        self.spent += found.work;
        self.refuse_redundant(&found.redundant, nodes);
        if found.missing.is_empty() {
            return;
        }
        let shown = self.show(ty);
        let patterns: Vec<String> = found.missing.iter().map(|m| format!("`{m}`")).collect();
        let more = if found.more { ", and more" } else { "" };
        let mut error = Diagnostic::error(
            Code::NonExhaustive,
            at,
            format!(
                "this match of {shown} has no arm for {}{more}",
                super::show::listed(&patterns)
            ),
        );
        error = error.cure(match found.missing.as_slice() {
            [only] if only == "_" => "end with an arm for all other values: `_ => …`",
            [_] => "write an arm for it",
            _ => "write an arm for each",
        });
        if arms.iter().any(|arm| arm.guard.is_some()) {
            error = error.note("an arm with a guard covers nothing: its guard may be false");
        }
        if let Some((named, _)) = self.head(ty)
            && let Some(at) = self.type_location(named)
        {
            error = error.other(at, "declared here");
        }
        let error = self.add_arms(error, node, &found.missing);
        self.report(error);
    }

    /// Reports the arms that are never reached: once for all that one arm takes.
    fn refuse_redundant(&mut self, redundant: &[Redundant], nodes: &[NodeId]) {
        let mut by_taker: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        for row in redundant {
            if let Some(taker) = row.taken_by {
                by_taker.entry(taker).or_default().push(row.arm);
            }
        }
        for row in redundant {
            let Some(node) = nodes.get(row.arm) else {
                continue;
            };
            let taken = row.taken_by.and_then(|taker| by_taker.get(&taker));
            let taker = row.taken_by.and_then(|taker| nodes.get(taker));
            let error = match (taker, taken.map(Vec::as_slice)) {
                (Some(taker), Some([first, others @ ..])) if !others.is_empty() => {
                    if *first != row.arm {
                        continue;
                    }
                    let message = format!(
                        "this arm takes all values of {} arms below it, which are never reached",
                        others.len() + 1
                    );
                    Diagnostic::error(Code::RedundantArm, self.at(*taker), message)
                        .other(self.at(*node), "the first of them")
                        .cure(self.cure_of_taker(*taker))
                }
                _ => {
                    let error = Diagnostic::error(
                        Code::RedundantArm,
                        self.at(*node),
                        "this arm is never reached: the arms above take all its values",
                    )
                    .cure("remove it, or move it up");
                    let error = match taker {
                        Some(taker) => error.other(self.at(*taker), "this arm takes them"),
                        None => error,
                    };
                    self.remove_arm(error, *node)
                }
            };
            self.report(error);
        }
    }

    /// What to do with an arm that takes the values of several arms below it.
    fn cure_of_taker(&self, taker: NodeId) -> String {
        let name = self.tree.text(taker);
        match self.tree.kind(taker) {
            Node::BindPattern => format!(
                "move it to the end; `{name}` is a new name for any value here: a variant begins \
                 with a capital letter"
            ),
            Node::AnyPattern => "move it to the end".into(),
            _ => "move it below them, or remove them".into(),
        }
    }

    /// A constructor of the matched type, if it has constructors.
    fn seed_ctor(&mut self, ty: Ty) -> Option<Ctor> {
        let ty = self.unrefined(ty);
        let (named, _) = self.head(ty)?;
        let def = self.type_def(named)?;
        (!def.variants().is_empty()).then_some(Ctor {
            ty: named,
            variant: 0,
        })
    }

    /// A number that is matched against a value of that type.
    fn number_pattern(&mut self, value: i64, ty: Ty, node: NodeId) -> PatternId {
        let pattern = self.push_pattern(Pattern::Int(value));
        let (first, last) = self.number_range(ty);
        if !(first..=last).contains(&value) {
            let shown = self.show(ty);
            let error = Diagnostic::error(
                Code::RedundantArm,
                self.at(node),
                format!("no {shown} is {value}, so this is never taken"),
            );
            self.report(error);
        } else if let Some(few) = Few::between(first, last) {
            self.few_numbers.insert(pattern, few);
        }
        pattern
    }

    /// The least and the greatest number that a type leaves.
    fn number_range(&mut self, ty: Ty) -> (i64, i64) {
        let (mut first, mut last) = (i64::MIN, i64::MAX);
        let mut next = Some(self.resolve(ty));
        while let Some(ty) = next {
            let def = self.head(ty).and_then(|(named, _)| self.type_def(named));
            if let Some(Shape::Refined { predicates, .. }) = def.map(|def| &def.shape) {
                for predicate in predicates {
                    if let Predicate::Range { min, max } = predicate {
                        first = first.max(min.unwrap_or(first));
                        last = last.min(max.unwrap_or(last));
                    }
                }
            }
            next = self.base(ty).map(|base| self.resolve(base));
        }
        (first, last)
    }

    pub(super) fn pattern(&mut self, node: NodeId, ty: Ty) -> PatternId {
        self.expects(node, ty);
        match self.tree.kind(node) {
            Node::BindPattern => {
                let name = self.tree.symbol(node);
                let local = self.bind(name, ty);
                self.bound(local, node, ty);
                self.push_pattern(Pattern::Bind(local))
            }
            Node::IntPattern => {
                let int = self.int();
                self.literal_pattern(ty, int, node);
                let text = self.tree.text(node).replace(['_', ' '], "");
                match text.parse() {
                    Ok(value) => self.number_pattern(value, ty, node),
                    Err(_) => {
                        if text.bytes().any(|b| b.is_ascii_alphabetic()) {
                            // It was reported when it was read.
                            self.errors += 1;
                        } else {
                            let message = "this integer does not fit in 64 bits";
                            self.error(Code::BadNumber, node, message);
                        }
                        self.push_pattern(Pattern::Any)
                    }
                }
            }
            Node::StrPattern => {
                let string = self.string();
                self.literal_pattern(ty, string, node);
                let text = self.string_pattern_text(node);
                self.push_pattern(Pattern::Str(text.into()))
            }
            Node::BoolPattern => {
                let bool = self.bool();
                self.literal_pattern(ty, bool, node);
                let value = self.tree.text(node) == "true";
                self.push_pattern(Pattern::Bool(value))
            }
            Node::NonePattern => {
                let item = self.fresh();
                let optional = self.optional(item);
                self.literal_pattern(ty, optional, node);
                self.push_pattern(Pattern::Ctor {
                    ctor: self.kernel.absent(),
                    fields: Run::default(),
                })
            }
            Node::CtorPattern => self.ctor_pattern(node, ty),
            Node::RecordPattern => self.record_pattern(node, ty),
            Node::PositionalPattern => self.positional_pattern(node, ty),
            _ => self.push_pattern(Pattern::Any),
        }
    }

    fn string_pattern_text(&mut self, node: NodeId) -> String {
        let text = self
            .tree
            .own_tokens(node)
            .find(|(kind, _)| *kind == Token::Text);
        let Some((_, index)) = text else {
            return String::new();
        };
        let start = self.tree.tokens().span(index).start;
        let source = self.tree.source();
        let mut warnings = Vec::new();
        let text = dag_syntax::unescape(self.tree.token_text(index), source, start, &mut |w| {
            warnings.push(w)
        });
        self.diagnostics.append(&mut warnings);
        text
    }

    fn literal_pattern(&mut self, ty: Ty, literal: Ty, node: NodeId) {
        let plain = self.unrefined(ty);
        if !self.unify(plain, literal) {
            let (found, wanted) = self.show_both(literal, ty);
            self.error(
                Code::BadPattern,
                node,
                format!("a value of type {wanted} is never a {found}"),
            );
        }
    }

    /// The constructor that a pattern names, tied to the matched type.
    fn pattern_ctor(&mut self, node: NodeId, ty: Ty) -> Option<(Ctor, Vec<Ty>)> {
        let path = self.tree.child(node, Node::Path)?;
        let name = self.tree.symbol(path);
        let (ctor, given) = match self.constructor_named(name) {
            Named::Ctor(ctor, given) => (ctor, given.unwrap_or_default()),
            Named::Broken => return None,
            Named::Type | Named::Unknown => {
                self.unknown_variant(name, path, ty);
                return None;
            }
        };
        self.refer_ctor(path, ctor);
        let count = self.type_def(ctor.ty).map_or(0, |d| d.params.len());
        let args: Vec<Ty> = (0..count).map(|_| self.fresh()).collect();
        for (arg, given) in args.iter().zip(given) {
            self.unify(*arg, given);
        }
        let built = self.named(ctor.ty, args.clone());
        // A refined type's values are built by its base's constructors.
        let ty = self.unrefined(ty);
        if self.is_error(ty) {
            return Some((ctor, args));
        }
        if !self.unify(built, ty) {
            let (found, wanted) = self.show_both(built, ty);
            let mut error = Diagnostic::error(
                Code::BadPattern,
                self.at(path),
                format!("`{name}` builds {found}, and this is {wanted}"),
            );
            if let Some((named, _)) = self.head(ty)
                && let Some(at) = self.type_location(named)
            {
                error = error.other(at, "declared here");
            }
            self.report(error);
            return None;
        }
        Some((ctor, args))
    }

    /// A variant that is not known: a slip of one that the type has, or one that
    /// is not imported.
    fn unknown_variant(&mut self, name: Symbol, node: NodeId, ty: Ty) {
        let variants: Vec<&str> = self
            .head(ty)
            .and_then(|(named, _)| self.type_def(named))
            .map(|d| d.variants().iter().map(|v| v.name.as_str()).collect())
            .unwrap_or_default();
        if variants.is_empty() || variants.contains(&name.as_str()) {
            self.unknown_name(name, node);
            return;
        }
        let shown = self.show(ty);
        let mut error = Diagnostic::error(
            Code::BadPattern,
            self.at(node),
            format!("{shown} has no variant `{name}`"),
        );
        if let Some(near) = self.nearest(name.as_str(), variants.iter().copied()) {
            error = error.did_you_mean(near);
        }
        if let Some((named, _)) = self.head(ty)
            && let Some(at) = self.type_location(named)
        {
            error = error.other(at, "declared here");
        }
        self.report(error);
    }

    fn ctor_pattern(&mut self, node: NodeId, ty: Ty) -> PatternId {
        let field_nodes: Vec<NodeId> = self.tree.children_of(node, Node::FieldPattern).collect();
        let Some((ctor, args)) = self.pattern_ctor(node, ty) else {
            let error = self.error_ty();
            self.bind_all(&field_nodes, error);
            return self.push_pattern(Pattern::Any);
        };
        self.fields_pattern(node, field_nodes, ctor, &args)
    }

    /// `{ name: pattern }`: of a record without a name.
    fn record_pattern(&mut self, node: NodeId, ty: Ty) -> PatternId {
        let field_nodes: Vec<NodeId> = self.tree.children_of(node, Node::FieldPattern).collect();
        let plain = self.unrefined(ty);
        let head = self.head(plain);
        if let Some((named, args)) = head.filter(|(named, _)| named.is_unnamed()) {
            let ctor = Ctor {
                ty: named,
                variant: 0,
            };
            return self.fields_pattern(node, field_nodes, ctor, &args);
        }
        if !self.is_error(plain) {
            let shown = self.show(ty);
            let error = Diagnostic::error(
                Code::BadPattern,
                self.at(node),
                format!("a pattern without a name takes a record without one, not {shown}"),
            )
            .cure("write the name of the record or variant before the brace");
            self.report(error);
        }
        let error = self.error_ty();
        self.bind_all(&field_nodes, error);
        self.push_pattern(Pattern::Any)
    }

    fn fields_pattern(
        &mut self,
        node: NodeId,
        field_nodes: Vec<NodeId>,
        ctor: Ctor,
        args: &[Ty],
    ) -> PatternId {
        let Some(fields) = self.ctor_fields(ctor) else {
            return self.push_pattern(Pattern::Any);
        };
        let braces = self
            .tree
            .own_tokens(node)
            .any(|(kind, _)| kind == Token::LBrace);
        let mut inner: Vec<Option<PatternId>> = vec![None; fields.len()];
        let mut sound = true;
        for field in field_nodes {
            let Some(name_node) = self.tree.child(field, Node::Name) else {
                continue;
            };
            let name = self.tree.symbol(name_node);
            let Some(index) = fields.iter().position(|(n, ..)| *n == name) else {
                self.unknown_field(ctor, name, name_node, &fields);
                let error = self.error_ty();
                self.bind_all(&[field], error);
                sound = false;
                continue;
            };
            if inner[index].is_some() {
                self.error(
                    Code::DuplicateName,
                    name_node,
                    format!("the field `{name}` is matched twice"),
                );
                // The name alone is bound by the first already.
                if self.tree.pattern_child(field).is_some() {
                    let error = self.error_ty();
                    self.bind_all(&[field], error);
                }
                continue;
            }
            self.refer(name_node, Target::Field(ctor, index as u32));
            let ty = self.bring(ctor.ty.module, fields[index].1, args);
            let pattern = match self.tree.pattern_child(field) {
                Some(pattern) => self.pattern(pattern, ty),
                None => {
                    let local = self.bind(name, ty);
                    self.bound(local, name_node, ty);
                    self.push_pattern(Pattern::Bind(local))
                }
            };
            inner[index] = Some(pattern);
        }
        let missing: Vec<String> = fields
            .iter()
            .zip(&inner)
            .filter(|(_, p)| p.is_none())
            .map(|((name, ..), _)| format!("`{name}`"))
            .collect();
        // A field under a wrong name is not missing as well.
        if braces && sound && !missing.is_empty() {
            let error = Diagnostic::error(
                Code::MissingField,
                self.at(node),
                format!(
                    "the pattern says nothing of {}",
                    super::show::listed(&missing)
                ),
            )
            .note("every field is named, so that a new one is decided here too")
            .cure("write `name: _` for a field that does not matter");
            let names = fields.iter().zip(&inner).filter(|(_, p)| p.is_none());
            let names: Vec<Symbol> = names.map(|((name, ..), _)| *name).collect();
            let error = self.add_field_patterns(error, node, &names);
            self.report(error);
        }
        let inner: Vec<PatternId> = inner
            .into_iter()
            .map(|p| p.unwrap_or_else(|| self.push_pattern(Pattern::Any)))
            .collect();
        self.push_ctor_pattern(ctor, inner)
    }

    fn push_ctor_pattern(&mut self, ctor: Ctor, inner: Vec<PatternId>) -> PatternId {
        let start = self.body.pattern_operands.len() as u32;
        let len = inner.len() as u32;
        self.body.pattern_operands.extend(inner);
        self.push_pattern(Pattern::Ctor {
            ctor,
            fields: Run { start, len },
        })
    }

    fn positional_pattern(&mut self, node: NodeId, ty: Ty) -> PatternId {
        let inner_node = self.tree.pattern_child(node);
        let Some((ctor, args)) = self.pattern_ctor(node, ty) else {
            let error = self.error_ty();
            if let Some(inner) = inner_node {
                self.pattern(inner, error);
            }
            return self.push_pattern(Pattern::Any);
        };
        let fields = self.ctor_fields(ctor).unwrap_or_default();
        let ([(name, payload, _)], Some(inner_node)) = (fields.as_slice(), inner_node) else {
            let shown = self.ctor_name(ctor);
            self.error(
                Code::BadPattern,
                node,
                format!("`{shown}` has no single value to match"),
            );
            return self.push_pattern(Pattern::Any);
        };
        if name.as_str() != "0" {
            let shown = self.ctor_name(ctor);
            self.error(
                Code::BadPattern,
                node,
                format!("`{shown}` has named fields: write `{shown} {{ {name} }}`"),
            );
        }
        let payload = self.bring(ctor.ty.module, *payload, &args);
        let inner = self.pattern(inner_node, payload);
        self.push_ctor_pattern(ctor, vec![inner])
    }

    /// Names the parts of a pattern whose constructor is not known, so that
    /// their uses are not reported as well.
    fn bind_all(&mut self, fields: &[NodeId], ty: Ty) {
        for field in fields {
            match self.tree.pattern_child(*field) {
                Some(pattern) => {
                    self.pattern(pattern, ty);
                }
                None => {
                    if let Some(name) = self.tree.child(*field, Node::Name) {
                        let local = self.bind(self.tree.symbol(name), ty);
                        self.bound(local, name, ty);
                    }
                }
            }
        }
    }
}
