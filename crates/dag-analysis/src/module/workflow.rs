//! Workflows: who may call what, and the nodes of their bodies.

use super::Checker;
use super::coerce::Reason;
use crate::core::{Ctor, DeclKind, Expr, ExprId, Local, Param};
use crate::known::Value;
use crate::operation::{Operation, Resource};
use crate::types::Ty;
use dag_syntax::{Code, Diagnostic, Location, Node, NodeId, Symbol, Token};
use rustc_hash::{FxHashMap, FxHashSet};

/// What may be called from the body at hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Calls {
    /// Functions alone.
    #[default]
    Pure,
    /// Operations and workflows too.
    Workflow,
    /// Those, and interfaces: from outside. Operations are answered by mocks in
    /// a witness.
    Outside,
}

/// What a module says of the outside, and what is in sight of it.
#[derive(Debug, Default)]
pub(super) struct Effects {
    pub(super) operations: Vec<Operation>,
    pub(super) resources: Vec<Resource>,
    /// Services by name.
    pub(super) services: FxHashMap<Symbol, Location>,
    /// Operations whose requests are yet to be worked out, by declaration.
    pub(super) heads: FxHashMap<usize, super::service::OperationHead>,
    /// The transports whose entries were looked at.
    pub(super) transports: FxHashSet<NodeId>,
    pub(super) resource_nodes: Vec<(crate::core::TypeRef, NodeId)>,

    // Of the declaration at hand.
    pub(super) calls: Calls,
    /// How many lambdas are around.
    pub(super) lambdas: u32,
    /// Whether the request at hand goes over HTTP.
    pub(super) over_http: bool,
    /// What `Output` names.
    pub(super) output: Option<Ctor>,
    /// The nodes so far.
    pub(super) nodes: FxHashSet<Local>,
    /// Names that stand for resources.
    pub(super) used: FxHashMap<Symbol, Location>,
    /// What they stand for.
    pub(super) resource_types: FxHashMap<Symbol, crate::core::TypeRef>,
    /// Those whose resource is not known.
    pub(super) broken_uses: Vec<Symbol>,
    /// `name.capability` and `name.fact`.
    pub(super) members: FxHashMap<Symbol, Value>,
}

impl Effects {
    /// Forgets the declaration before.
    pub(super) fn enter(&mut self, calls: Calls) {
        self.calls = calls;
        self.lambdas = 0;
        self.output = None;
        self.nodes.clear();
        self.used.clear();
        self.resource_types.clear();
        self.broken_uses.clear();
        self.members.clear();
    }
}

impl Checker<'_> {
    /// Declares the workflows.
    pub(super) fn declare_workflows(
        &mut self,
        items: &[NodeId],
        first: &FxHashMap<Symbol, Location>,
    ) {
        for item in items {
            if self.tree.kind(*item) != Node::FuncDecl {
                continue;
            }
            let Some(name_node) = self.tree.child(*item, Node::Name) else {
                continue;
            };
            let name = self.tree.symbol(name_node);
            let kind = match self.tree.tokens().kind(self.tree.token_range(*item).start) {
                Token::KwPattern => DeclKind::Pattern,
                Token::KwInterface => DeclKind::Interface,
                _ => DeclKind::Func,
            };
            if kind == DeclKind::Interface
                && let Some(uses) = self.tree.child(*item, Node::Uses)
            {
                let error = Diagnostic::error(
                    Code::NoMeaning,
                    self.at(uses),
                    "an interface uses nothing by itself",
                )
                .note("it is the door from outside: what is behind it, a `func` uses")
                .cure("move the row to the `func` that it calls");
                self.report(error);
            }
            if let Some(first) = first.get(&name).copied().or_else(|| self.own_decl(name)) {
                self.duplicate("name", name, name_node, first);
                continue;
            }
            self.refuse_imported(name, self.at(name_node));
            let params: Vec<Param> = self.params(*item, name);
            let result = match self.tree.type_child(*item) {
                Some(ty) => self.type_of(ty),
                None => self.unit(),
            };
            self.declare_item(name, name_node, *item, kind, params, result);
        }
    }

    fn own_decl(&self, name: Symbol) -> Option<Location> {
        let Some(Value::Decls(decls)) = self.scope.own(name).value else {
            return None;
        };
        let decl = self.decls.get(decls.first()?.index as usize)?;
        Some(Location {
            source: self.tree.source(),
            span: decl.span,
        })
    }

    /// The body of a workflow; without `->` its value is dropped.
    pub(super) fn workflow_body(&mut self, item: NodeId, result: Ty) -> Option<ExprId> {
        self.effects.calls = Calls::Workflow;
        self.uses(item);
        let block = self.tree.child(item, Node::BlockExpr)?;
        self.returns.push(result);
        Some(match self.tree.type_child(item) {
            Some(written) => {
                let because = Some((self.at(written), Reason::Declared));
                self.check_because(block, result, because)
            }
            None => {
                let (first, _) = self.infer(block);
                let second = self.push(Expr::Unit, block);
                self.push(Expr::Then { first, second }, block)
            }
        })
    }

    /// Whether the operation or workflow may be called here; reports it if not.
    pub(super) fn may_call(&mut self, kind: DeclKind, name: Symbol, node: NodeId) -> bool {
        if !kind.has_effects() {
            return true;
        }
        let what = kind_name(kind);
        let calls = self.effects.calls;
        if calls == Calls::Pure {
            let error = Diagnostic::error(
                Code::EffectOutsideWorkflow,
                self.at(node),
                format!("`{name}` is {what}, and is called outside a workflow"),
            )
            .note("a function and a `data` item give the same value whenever they are asked")
            .cure(match self.decl_name.as_str() {
                "" | "expression" => "run it: `hayward run`".to_owned(),
                request if request.contains('.') => {
                    "work the value out in a workflow, and take it as an input".to_owned()
                }
                caller => format!("make `{caller}` a `func`, or take what it gives as a parameter"),
            });
            self.report(error);
            return false;
        }
        if self.effects.lambdas > 0 {
            let error = Diagnostic::error(
                Code::EffectOutsideWorkflow,
                self.at(node),
                format!("`{name}` is {what}, and is called in a lambda"),
            )
            .note("a lambda may be kept, and called never, once, or later: nobody sees when")
            .cure("call it in a statement of the workflow, or in a `match` or an `if` of it");
            self.report(error);
            return false;
        }
        if kind == DeclKind::Interface && calls == Calls::Workflow {
            let error = Diagnostic::error(
                Code::EffectOutsideWorkflow,
                self.at(node),
                format!("`{name}` is an interface, and is called by a workflow"),
            )
            .note("an interface is a door from outside: it is run, and a witness may call it")
            .cure("call the `func` behind it");
            self.report(error);
            return false;
        }
        true
    }

    /// An operation or workflow as a value: it is none.
    pub(super) fn refuse_effect_value(&mut self, kind: DeclKind, name: Symbol, node: NodeId) {
        let error = Diagnostic::error(
            Code::EffectOutsideWorkflow,
            self.at(node),
            format!("`{name}` is {}, and is not called", kind_name(kind)),
        )
        .note("as a value it could be called where nobody sees when")
        .cure(format!("call it: `{name}(…)`"));
        self.report(error);
    }

    /// A node: the local it binds, its value and type.
    pub(super) fn step(&mut self, node: NodeId) -> (Local, ExprId, Ty) {
        let name_node = self.tree.child(node, Node::Name).unwrap_or(node);
        let name = self.tree.symbol(name_node);
        let bound = self.local(name).is_some();
        let misplaced = bound || self.effects.calls == Calls::Pure || self.effects.lambdas > 0;
        if bound {
            // A node shadows nothing: who writes this means to change the value.
            let error = Diagnostic::error(
                Code::BadNode,
                self.at(name_node),
                format!("`{name}` has its value already, and nothing is assigned"),
            )
            .note("a name keeps its value as long as it is known")
            .cure(
                "give the new value a name of its own with `let`; \
                 what a loop gathers is a `fold` or a `sum`",
            );
            self.report(error);
        } else if misplaced {
            let error = Diagnostic::error(
                Code::BadNode,
                self.at(name_node),
                "a node stands in the statements of a workflow",
            )
            .cure(format!("write `let {name} = …`"));
            self.report(error);
        }
        if let Some(after) = self.tree.child(node, Node::After) {
            for before in self.tree.children(after).to_vec() {
                self.node_before(before);
            }
        }
        let condition = self.tree.child(node, Node::When).and_then(|when| {
            let condition = self.tree.expr_child(when)?;
            let bool = self.bool();
            Some(self.check(condition, bool))
        });
        let value = self.tree.children(node).iter().copied().find(|c| {
            let kind = self.tree.kind(*c);
            kind.is_expr()
        });
        let Some(value_node) = value else {
            let (expr, ty) = self.invalid(node);
            let local = self.bind(name, ty);
            self.bound(local, name_node, ty);
            return (local, expr, ty);
        };
        let (mut value, mut ty) = match self.tree.type_child(node) {
            Some(written) => {
                let ty = self.type_of(written);
                let because = Some((self.at(written), Reason::Declared));
                (self.check_because(value_node, ty, because), ty)
            }
            None => self.infer(value_node),
        };
        if let Some(condition) = condition {
            let fields = self.operands(vec![value]);
            let ctor = self.kernel.present();
            let then = self.push(Expr::Construct { ctor, fields }, node);
            let absent = Expr::Construct {
                ctor: self.kernel.absent(),
                fields: crate::core::Run::default(),
            };
            let otherwise = self.push(absent, node);
            ty = self.optional(ty);
            value = self.push(
                Expr::If {
                    condition,
                    then,
                    otherwise,
                },
                node,
            );
        }
        if misplaced {
            // Nothing more is said of a statement that is one mistake already.
            value = self.push(Expr::Invalid, node);
        }
        let local = self.bind(name, ty);
        self.bound(local, name_node, ty);
        self.effects.nodes.insert(local);
        (local, value, ty)
    }

    /// `after n`: nodes run in the order of the text, so n stands before.
    fn node_before(&mut self, node: NodeId) {
        let name = self.tree.symbol(node);
        let known = self.local(name);
        if let Some((local, _)) = known
            && self.effects.nodes.contains(&local)
        {
            self.refer_local(node, local);
            return;
        }
        let mut error = Diagnostic::error(
            Code::BadNode,
            self.at(node),
            format!("there is no node `{name}` before this one"),
        );
        error = match known {
            Some(_) => error.note(format!("`{name}` is a value, and comes after nothing")),
            None => error.cure("nodes run in the order of the text: move it above"),
        };
        self.report(error);
    }
}

fn kind_name(kind: DeclKind) -> &'static str {
    match kind {
        DeclKind::Operation => "an operation",
        DeclKind::Pattern => "a pattern",
        DeclKind::Interface => "an interface",
        DeclKind::Func => "a workflow",
        DeclKind::Function => "a function",
        DeclKind::Data | DeclKind::Default => "a value",
    }
}
