//! Unit names (systemd.unit(5), "Description") and the names of the drop-in
//! directories that apply to a unit.

use std::fmt;

/// The longest unit name, in bytes: systemd.unit(5), "Description".
const NAME_LIMIT: usize = 255;

/// The unit types: systemd.unit(5), "Description".
const TYPES: [&str; 11] = [
    "service",
    "socket",
    "device",
    "mount",
    "automount",
    "swap",
    "target",
    "path",
    "timer",
    "slice",
    "scope",
];

/// A unit's name in its parts.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct UnitName<'a> {
    prefix: &'a str,
    instance: Option<&'a str>,
    kind: &'a str,
}

impl<'a> UnitName<'a> {
    /// The name in its parts; `None` if the text is no unit's name.
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        let (stem, kind) = text.rsplit_once('.')?;
        let inner =
            |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '-' | '_' | '.' | '\\');
        if text.len() > NAME_LIMIT || !TYPES.contains(&kind) {
            return None;
        }
        let (prefix, instance) = match stem.split_once('@') {
            Some((prefix, instance)) => (prefix, Some(instance)),
            None => (stem, None),
        };
        let prefix_good = !prefix.is_empty() && prefix.chars().all(inner);
        let instance_good = instance.is_none_or(|i| i.chars().all(|c| inner(c) || c == '@'));
        (prefix_good && instance_good).then_some(Self {
            prefix,
            instance,
            kind,
        })
    }

    /// The unit's type, `service`.
    pub(crate) fn kind(&self) -> &'a str {
        self.kind
    }

    /// The template of an instance, `x@.service` of `x@i.service`.
    pub(crate) fn template(&self) -> Option<String> {
        self.instance
            .is_some_and(|i| !i.is_empty())
            .then(|| format!("{}@.{}", self.prefix, self.kind))
    }

    /// The name that a link of this name gives to the unit `name`, if it gives it one. A
    /// template's link is one of every instance; an instance's is one of that instance
    /// alone, and so it counts for a template, which stands for all of its instances
    /// (systemd.unit(5), "Description": aliases of templates).
    pub(crate) fn alias_of(&self, name: &UnitName<'a>) -> Option<Self> {
        let instance = match (self.instance, name.instance) {
            (Some(""), Some(instance)) => Some(instance),
            (Some(own), Some(instance)) if !instance.is_empty() && own != instance => return None,
            (own, _) => own,
        };
        Some(UnitName {
            instance,
            ..self.clone()
        })
    }

    /// Whether it is a template, `x@.service`.
    pub(crate) fn is_template(&self) -> bool {
        self.instance == Some("")
    }

    /// The same name for the instance of another unit.
    pub(crate) fn with_instance_of(&self, like: &Self) -> Self {
        Self {
            instance: like.instance,
            ..self.clone()
        }
    }

    /// The name, and it with each of its shorter prefixes.
    pub(crate) fn at_each_prefix(&self) -> impl Iterator<Item = Self> {
        std::iter::successors(Some(self.prefix), |prefix| shorter(prefix)).map(|prefix| Self {
            prefix,
            ..self.clone()
        })
    }

    /// Whether the unit exists without a file of its own, so that drop-ins
    /// alone define it: slices (systemd.slice(5)), and mounts, swaps, devices
    /// and scopes, which come from the kernel or the bus.
    pub(crate) fn needs_no_file(&self) -> bool {
        matches!(self.kind, "slice" | "mount" | "swap" | "device" | "scope")
    }

    /// The names of the directories of drop-ins in each directory of the
    /// search path, the most specific first, without those of the type.
    ///
    /// systemd.unit(5), "Description", names the prefixes up to each dash, and
    /// `unit_file_find_dirs` (src/shared/dropin.c) their order. An instance has its own
    /// directory, its template's, the plain ones of the shorter prefixes, and then for each
    /// shorter prefix the one of the instance and the one of the template:
    /// `foo-@.service.d` applies to every `foo-bar@i.service`. A template has what all of
    /// its instances have.
    pub(crate) fn drop_in_directories(&self) -> Vec<String> {
        let kind = self.kind;
        let shorter = || std::iter::successors(shorter(self.prefix), |prefix| shorter(prefix));
        let plain = |prefix: &str| format!("{prefix}.{kind}.d");
        let Some(instance) = self.instance else {
            let prefixes = std::iter::once(self.prefix).chain(shorter());
            return prefixes.map(plain).collect();
        };
        let mut found = Vec::new();
        let both = |prefix: &str, found: &mut Vec<String>| {
            if !instance.is_empty() {
                found.push(format!("{prefix}@{instance}.{kind}.d"));
            }
            found.push(format!("{prefix}@.{kind}.d"));
        };
        both(self.prefix, &mut found);
        found.extend(shorter().map(plain));
        for prefix in shorter() {
            both(prefix, &mut found);
        }
        found
    }
}

/// As systemd writes it.
impl fmt::Display for UnitName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.prefix)?;
        if let Some(instance) = self.instance {
            write!(f, "@{instance}")?;
        }
        write!(f, ".{}", self.kind)
    }
}

/// The prefix up to and with its last inner dash: `a-b-` of `a-b-c`, `a-` of
/// `a-b-`.
fn shorter(prefix: &str) -> Option<&str> {
    let inner = prefix.strip_suffix('-').unwrap_or(prefix);
    let dash = inner.rfind('-')?;
    (dash > 0).then(|| &prefix[..=dash])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dirs(unit: &str) -> Vec<String> {
        UnitName::parse(unit).unwrap().drop_in_directories()
    }

    #[test]
    fn names_are_told_from_other_texts() {
        for good in [
            "a.service",
            "actions-runner@.service",
            "x@i.service",
            "x@a@b.service",
            "system-actions\\x2drunner.slice",
            "-.slice",
            "a.b.timer",
        ] {
            assert!(UnitName::parse(good).is_some(), "{good}");
        }
        let long = format!("{}.service", "a".repeat(255));
        for bad in [
            "",
            "service",
            ".service",
            "@i.service",
            "a b.service",
            "a/b.service",
            "a.unit",
            "a.service ",
            "../a.service",
            "ü.service",
            "a%i.service",
            &long,
        ] {
            assert!(UnitName::parse(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn drop_in_directories_follow_prefixes_and_templates() {
        assert_eq!(dirs("a.service"), ["a.service.d"]);
        assert_eq!(
            dirs("foo-bar-waldo.service"),
            [
                "foo-bar-waldo.service.d",
                "foo-bar-.service.d",
                "foo-.service.d"
            ]
        );
        assert_eq!(
            dirs("foo-bar@i.service"),
            [
                "foo-bar@i.service.d",
                "foo-bar@.service.d",
                "foo-.service.d",
                "foo-@i.service.d",
                "foo-@.service.d",
            ]
        );
        assert_eq!(
            dirs("a-b-c@i.service"),
            [
                "a-b-c@i.service.d",
                "a-b-c@.service.d",
                "a-b-.service.d",
                "a-.service.d",
                "a-b-@i.service.d",
                "a-b-@.service.d",
                "a-@i.service.d",
                "a-@.service.d",
            ]
        );
        // What applies to every instance.
        assert_eq!(
            dirs("a-b-c@.service"),
            [
                "a-b-c@.service.d",
                "a-b-.service.d",
                "a-.service.d",
                "a-b-@.service.d",
                "a-@.service.d",
            ]
        );
        // A dash of the instance cuts no prefix.
        assert_eq!(dirs("a@b-c.service"), ["a@b-c.service.d", "a@.service.d"]);
        assert_eq!(dirs("-.slice"), ["-.slice.d"]);
        assert_eq!(dirs("-a.slice"), ["-a.slice.d"]);
        assert_eq!(dirs("a-.slice"), ["a-.slice.d"]);
    }
}
