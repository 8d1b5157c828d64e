//! The example fleets of `fleets/`, built in: file name and text of each.

include!(concat!(env!("OUT_DIR"), "/fleets.rs"));
