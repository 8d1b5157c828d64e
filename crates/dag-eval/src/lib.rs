//! What a checked `.dag` program evaluates to: values, their text and JSON, and
//! the witnesses' verdicts. Programs in, values or located refusals out; no I/O,
//! no clock, no randomness, no dependence on the order of threads.
//!
//! A declaration is compiled on first use to a flat evaluation form and run by
//! a machine whose frames lie on the heap: neither deep recursion in a model
//! nor deep data can exhaust the stack of the thread it runs on.
#![forbid(unsafe_code)]

mod arithmetic;
mod bytes;
mod claims;
mod code;
mod collections;
mod compile;
mod construct;
mod digest;
mod display;
mod equality;
mod evaluator;
mod heap;
mod http;
mod intrinsics;
mod json;
mod keyed;
mod list;
mod liveness;
mod looping;
mod machine;
mod map;
mod matching;
mod operations;
mod perform;
mod pointer;
mod recall;
mod refine;
mod refusal;
mod release;
mod sharing;
mod text;
mod value;
mod witness;

pub use claims::judged;
pub use construct::ConstructError;
pub use display::{TooLong, display, display_whole, quote};
pub use evaluator::{Evaluator, Limits, Outcome};
pub use json::{JsonError, to_json, to_json_text};
pub use list::{Iter, List};
pub use map::{Map, Set};
pub use operations::{
    Answer, Ask, HeaderText, Hermetic, Http, Operations, Reply, Request, Stdin, is_header_text,
};
pub use recall::Recollection;
pub use refusal::{Call, Refusal};
pub use text::Text;
pub use value::{Closure, Data, Value};
pub use witness::{Report, Sides, Verdict, Witness, run_witnesses};
