//! The fleet model that every language renders: what is in it, what it comes to, and its text in
//! each language.

pub(crate) mod hayward;
pub(crate) mod service;

pub(crate) use service::{Kind, Model, Restart, Service};
