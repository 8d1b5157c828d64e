//! Hand-built core programs for tests: `std.types` and one module `app`.
#![allow(dead_code, missing_docs, unreachable_pub)]

use dag_analysis::core::*;
use dag_analysis::types::{Ty, TyKind, TypeTable};
use dag_eval::{Evaluator, Limits, Refusal, Value};
use dag_syntax::{SourceId, Span, Symbol};
use std::sync::Arc;

pub const STRING: u32 = 0;
pub const INT: u32 = 1;
pub const FLOAT: u32 = 2;
pub const BOOL: u32 = 3;
pub const UNIT: u32 = 4;
pub const LIST: u32 = 5;
pub const OPTIONAL: u32 = 6;
pub const PAIR: u32 = 7;
pub const NON_EMPTY: u32 = 8;
pub const NAT: u32 = 9;
pub const MAP: u32 = 10;
pub const SET: u32 = 11;

pub fn std_type(index: u32) -> TypeRef {
    TypeRef {
        module: ModuleId(0),
        index,
    }
}

fn type_def(name: &str, params: &[&str], shape: Shape) -> TypeDef {
    TypeDef {
        name: name.into(),
        span: Span::default(),
        params: params.iter().map(|p| Symbol::new(p)).collect(),
        shape,
        observed: false,
        sole_constructor: false,
        nominal_opaque: false,
    }
}

pub fn variant(name: &str, fields: &[(&str, Ty)]) -> Variant {
    let field = |(name, ty): &(&str, Ty)| Field {
        name: Symbol::new(name),
        span: Span::default(),
        ty: *ty,
        default: None,
        source: None,
    };
    Variant {
        name: name.into(),
        span: Span::default(),
        fields: fields.iter().map(field).collect(),
    }
}

fn empty(id: u32, name: &str) -> Module {
    Module {
        id: ModuleId(id),
        name: name.into(),
        source: SourceId(id),
        test_file: true,
        table: TypeTable::default(),
        types: Vec::new(),
        decls: Vec::new(),
        body: Body::default(),
        operations: Vec::new(),
        resources: Vec::new(),
        claims: Vec::new(),
    }
}

fn std_types() -> Module {
    let mut module = empty(0, "std.types");
    let t = module.table.intern(TyKind::Param(0, "T".into()));
    let u = module.table.intern(TyKind::Param(1, "U".into()));
    let string = module
        .table
        .intern(TyKind::Named(std_type(STRING), Box::new([])));
    let int = module
        .table
        .intern(TyKind::Named(std_type(INT), Box::new([])));
    for name in ["String", "Int", "Float", "Bool", "Unit"] {
        module.types.push(type_def(name, &[], Shape::Opaque));
    }
    module.types.push(type_def("List", &["T"], Shape::Opaque));
    let variants = vec![variant("Present", &[("value", t)]), variant("Absent", &[])];
    module
        .types
        .push(type_def("Optional", &["T"], Shape::Coproduct(variants)));
    let pair = variant("Pair", &[("first", t), ("second", u)]);
    module
        .types
        .push(type_def("Pair", &["A", "B"], Shape::Record(pair)));
    let shape = Shape::Refined {
        base: string,
        predicates: vec![Predicate::NonEmpty],
    };
    module.types.push(type_def("NonEmptyStr", &[], shape));
    let range = Predicate::Range {
        min: Some(0),
        max: None,
    };
    let shape = Shape::Refined {
        base: int,
        predicates: vec![range],
    };
    module.types.push(type_def("Nat", &[], shape));
    let secret = variant("Secret", &[("name", string)]);
    module
        .types
        .push(type_def("Secret", &[], Shape::Record(secret)));
    module
        .types
        .push(type_def("Map", &["K", "V"], Shape::Opaque));
    module.types.push(type_def("Set", &["T"], Shape::Opaque));
    module
}

/// Builds the module `app`; expressions get spans in the order of building.
pub struct Model {
    pub app: Module,
    next_local: u32,
}

pub fn present() -> Ctor {
    Ctor {
        ty: std_type(OPTIONAL),
        variant: 0,
    }
}

pub fn absent() -> Ctor {
    Ctor {
        ty: std_type(OPTIONAL),
        variant: 1,
    }
}

impl Model {
    pub fn new() -> Self {
        Self {
            app: empty(1, "app"),
            next_local: 1000,
        }
    }

    pub fn evaluator(self) -> Evaluator {
        // Loops are shared by all cores wherever they may be.
        self.limited(Limits {
            shared_steps: 0,
            ..Limits::default()
        })
    }

    pub fn limited(self, limits: Limits) -> Evaluator {
        let modules = vec![Arc::new(std_types()), Arc::new(self.app)];
        Evaluator::with_limits(
            Arc::new(Program {
                modules: modules.into(),
            }),
            limits,
        )
    }

    // Types.

    pub fn named(&mut self, ty: TypeRef, args: &[Ty]) -> Ty {
        self.app.table.intern(TyKind::Named(ty, args.into()))
    }

    pub fn std(&mut self, index: u32) -> Ty {
        self.named(std_type(index), &[])
    }

    pub fn ty(&mut self, name: &str, shape: Shape) -> TypeRef {
        self.app.types.push(type_def(name, &[], shape));
        TypeRef {
            module: ModuleId(1),
            index: self.app.types.len() as u32 - 1,
        }
    }

    pub fn coproduct(&mut self, name: &str, variants: Vec<Variant>) -> TypeRef {
        self.ty(name, Shape::Coproduct(variants))
    }

    // Declarations.

    pub fn decl(
        &mut self,
        name: &str,
        kind: DeclKind,
        params: u32,
        body: Option<ExprId>,
    ) -> DeclRef {
        let ty = self.std(UNIT);
        let index = self.app.decls.len() as u32;
        let span = Span::new(10_000 + index, 10_001 + index);
        let param = |i: u32| Param {
            name: format!("p{i}").as_str().into(),
            span,
            ty,
            default: None,
        };
        self.app.decls.push(Decl {
            name: name.into(),
            span,
            kind,
            test: name.starts_with("test_"),
            type_params: Vec::new(),
            asked: Vec::new(),
            params: (0..params).map(param).collect(),
            result: ty,
            body,
            intrinsic: None,
            locals: 2000,
            admit_callers: None,
        });
        DeclRef {
            module: ModuleId(1),
            index,
        }
    }

    pub fn func(&mut self, name: &str, params: u32, body: ExprId) -> DeclRef {
        self.decl(name, DeclKind::Function, params, Some(body))
    }

    pub fn data(&mut self, name: &str, body: ExprId) -> DeclRef {
        self.decl(name, DeclKind::Data, 0, Some(body))
    }

    /// A function whose body is given later, for recursion.
    pub fn forward(&mut self, name: &str, params: u32) -> DeclRef {
        self.decl(name, DeclKind::Function, params, None)
    }

    pub fn define(&mut self, decl: DeclRef, body: ExprId) {
        self.app.decls[decl.index as usize].body = Some(body);
    }

    pub fn engine_function(&mut self, name: &str, params: u32, op: Intrinsic) -> DeclRef {
        let decl = self.decl(name, DeclKind::Function, params, None);
        self.app.decls[decl.index as usize].intrinsic = Some(op);
        decl
    }

    // Expressions.

    pub fn expr(&mut self, expr: Expr) -> ExprId {
        let id = self.app.body.exprs.len() as u32;
        self.app.body.exprs.push(expr);
        self.app.body.spans.push(Span::new(id, id + 1));
        ExprId(id)
    }

    pub fn run(&mut self, children: &[ExprId]) -> Run {
        let start = self.app.body.operands.len() as u32;
        self.app.body.operands.extend(children);
        Run {
            start,
            len: children.len() as u32,
        }
    }

    pub fn fresh(&mut self) -> Local {
        self.next_local += 1;
        Local(self.next_local)
    }

    pub fn int(&mut self, n: i64) -> ExprId {
        self.expr(Expr::Int(n))
    }

    pub fn float(&mut self, n: f64) -> ExprId {
        self.expr(Expr::Float(n))
    }

    pub fn bool(&mut self, b: bool) -> ExprId {
        self.expr(Expr::Bool(b))
    }

    pub fn str(&mut self, text: &str) -> ExprId {
        self.expr(Expr::Str(text.into()))
    }

    pub fn local(&mut self, local: Local) -> ExprId {
        self.expr(Expr::Local(local))
    }

    pub fn param(&mut self, index: u32) -> ExprId {
        self.local(Local(index))
    }

    pub fn global(&mut self, decl: DeclRef) -> ExprId {
        let kind = match decl.module {
            ModuleId(1) => self.app.decls[decl.index as usize].kind,
            _ => DeclKind::Data,
        };
        self.expr(match kind.is_value() {
            true => Expr::Data(decl),
            false => Expr::Function(decl),
        })
    }

    pub fn call(&mut self, callee: DeclRef, args: &[ExprId]) -> ExprId {
        let args = self.run(args);
        self.expr(Expr::Call { callee, args })
    }

    pub fn apply(&mut self, function: ExprId, args: &[ExprId]) -> ExprId {
        let args = self.run(args);
        self.expr(Expr::Apply { function, args })
    }

    pub fn op(&mut self, op: Intrinsic, args: &[ExprId]) -> ExprId {
        let args = self.run(args);
        self.expr(Expr::Intrinsic { op, args })
    }

    pub fn binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> ExprId {
        self.expr(Expr::Binary { op, left, right })
    }

    pub fn list(&mut self, items: &[ExprId]) -> ExprId {
        let run = self.run(items);
        self.expr(Expr::List(run))
    }

    pub fn construct(&mut self, ctor: Ctor, fields: &[ExprId]) -> ExprId {
        let fields = self.run(fields);
        self.expr(Expr::Construct { ctor, fields })
    }

    pub fn field(&mut self, base: ExprId, index: u32) -> ExprId {
        self.expr(Expr::Field { base, index })
    }

    pub fn if_(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId) -> ExprId {
        self.expr(Expr::If {
            condition,
            then,
            otherwise,
        })
    }

    pub fn let_(&mut self, local: Local, value: ExprId, body: ExprId) -> ExprId {
        self.expr(Expr::Let { local, value, body })
    }

    pub fn refine(&mut self, value: ExprId, ty: TypeRef) -> ExprId {
        self.expr(Expr::Refine { value, ty })
    }

    pub fn lambda(&mut self, params: &[Local], body: ExprId) -> ExprId {
        let start = self.app.body.lambda_params.len() as u32;
        self.app.body.lambda_params.extend(params);
        let params = Run {
            start,
            len: params.len() as u32,
        };
        self.expr(Expr::Lambda { params, body })
    }

    pub fn pattern(&mut self, pattern: Pattern) -> PatternId {
        self.app.body.patterns.push(pattern);
        PatternId(self.app.body.patterns.len() as u32 - 1)
    }

    pub fn ctor(&mut self, ctor: Ctor, fields: &[PatternId]) -> PatternId {
        let start = self.app.body.pattern_operands.len() as u32;
        self.app.body.pattern_operands.extend(fields);
        let fields = Run {
            start,
            len: fields.len() as u32,
        };
        self.pattern(Pattern::Ctor { ctor, fields })
    }

    pub fn bind(&mut self, local: Local) -> PatternId {
        self.pattern(Pattern::Bind(local))
    }

    pub fn match_(
        &mut self,
        scrutinee: ExprId,
        arms: &[(PatternId, Option<ExprId>, ExprId)],
    ) -> ExprId {
        let start = self.app.body.arms.len() as u32;
        let arm = |(pattern, guard, body): &_| Arm {
            pattern: *pattern,
            guard: *guard,
            body: *body,
        };
        self.app.body.arms.extend(arms.iter().map(arm));
        let arms = Run {
            start,
            len: arms.len() as u32,
        };
        self.expr(Expr::Match { scrutinee, arms })
    }
}

/// Evaluates the expression that `build` makes.
pub fn eval(build: impl FnOnce(&mut Model) -> ExprId) -> Result<Value, Refusal> {
    let mut model = Model::new();
    let body = build(&mut model);
    let main = model.func("main", 0, body);
    model
        .evaluator()
        .evaluate(main)
        .map(|outcome| outcome.value)
}

/// The display form of what `build` evaluates to, or its refusal.
pub fn show(build: impl FnOnce(&mut Model) -> ExprId) -> String {
    let mut model = Model::new();
    let body = build(&mut model);
    let main = model.func("main", 0, body);
    let evaluator = model.evaluator();
    match evaluator.evaluate(main) {
        Ok(outcome) => dag_eval::display(evaluator.program(), &outcome.value),
        Err(refusal) => refusal.to_string(),
    }
}
