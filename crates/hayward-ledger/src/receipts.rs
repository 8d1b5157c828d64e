//! What any store of receipts can do.

use crate::chain::Verified;
use crate::entry::Entry;
use crate::error::LedgerError;
use crate::kind::Kind;
use crate::receipt::Receipt;

/// A store of receipts. [`crate::Ledger`] is one; a second store would pass the
/// same contract tests (`tests/contract.rs`).
pub trait Receipts {
    /// Records an entry at the end of the chain; durable when it returns.
    ///
    /// # Errors
    /// When it is not recorded, except for [`LedgerError::HeadBehind`].
    fn append(&mut self, entry: &Entry) -> Result<Receipt, LedgerError>;

    /// The receipts that pass the filter, in the order of the chain or its reverse.
    /// Each is checked by itself, and the chain's end against its head.
    ///
    /// # Errors
    /// When the store cannot be read, or a receipt that is asked for is not intact.
    fn receipts(&self, filter: &Filter) -> Result<Vec<Receipt>, LedgerError>;

    /// Walks the whole chain.
    ///
    /// # Errors
    /// [`LedgerError::Broken`] with the first broken link, or when the store cannot
    /// be read.
    fn verify(&self) -> Result<Verified, LedgerError>;

    /// The last receipt of that kind, about that host (`None`: about any or none).
    ///
    /// # Errors
    /// As [`Receipts::receipts`].
    fn latest(&self, kind: Kind, host: Option<&str>) -> Result<Option<Receipt>, LedgerError> {
        let mut filter = Filter::new().kind(kind).newest_first().limit(1);
        if let Some(host) = host {
            filter = filter.host(host);
        }
        Ok(self.receipts(&filter)?.pop())
    }
}

/// Which receipts; all, in order, unless said otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only of that kind.
    pub kind: Option<Kind>,
    /// Only about that host.
    pub host: Option<String>,
    /// Only those after the receipt of that number.
    pub after: u64,
    /// In reverse order.
    pub newest_first: bool,
    /// At most so many.
    pub limit: Option<usize>,
}

impl Filter {
    /// All receipts.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Only of that kind.
    #[must_use]
    pub fn kind(self, kind: Kind) -> Self {
        let kind = Some(kind);
        Self { kind, ..self }
    }

    /// Only about that host.
    #[must_use]
    pub fn host(self, host: impl Into<String>) -> Self {
        let host = Some(host.into());
        Self { host, ..self }
    }

    /// Only those after the receipt of that number.
    #[must_use]
    pub fn after(self, after: u64) -> Self {
        Self { after, ..self }
    }

    /// In reverse order.
    #[must_use]
    pub fn newest_first(self) -> Self {
        Self {
            newest_first: true,
            ..self
        }
    }

    /// At most so many.
    #[must_use]
    pub fn limit(self, limit: usize) -> Self {
        let limit = Some(limit);
        Self { limit, ..self }
    }
}
