//! What earlier runs found, kept by content: an entry's key is the digest of all that its
//! value follows from. Losing an entry costs time and nothing else, so no failure of the
//! store stops a command; and no entry is believed that this store did not seal under
//! this key for this build of the program.

mod bucket_place;
mod entries;
mod place;
mod seal;
mod shared;
mod store;

pub use bucket_place::BucketPlace;
pub use place::{Place, PlaceError, SharedAt, SharedPlace};
pub use shared::Shared;
pub use store::{Entry, Kind, Store, Usage};

/// A BLAKE3 digest.
pub type Digest = [u8; 32];
