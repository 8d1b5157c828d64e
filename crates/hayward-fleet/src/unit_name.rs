//! Unit names (systemd.unit(5), "Description") and the names of the drop-in
//! directories that apply to a unit.

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
#[derive(Clone, PartialEq, Eq, Debug)]
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

    /// The same name for an instance of another unit, if it is a template's.
    pub(crate) fn instantiated(&self, like: &UnitName<'a>) -> Self {
        UnitName {
            instance: self.instance.and(like.instance).or(self.instance),
            ..self.clone()
        }
    }

    /// Whether the unit exists without a file of its own, so that drop-ins
    /// alone define it: slices (systemd.slice(5)), and mounts, swaps, devices
    /// and scopes, which come from the kernel or the bus.
    pub(crate) fn needs_no_file(&self) -> bool {
        matches!(self.kind, "slice" | "mount" | "swap" | "device" | "scope")
    }

    /// The names of the directories of drop-ins in each directory of the
    /// search path, the most specific first, without those of the type. In
    /// the order of systemd's `unit_file_find_dirs` (src/shared/dropin.c): the
    /// unit, its template, then both again for the prefix up to each dash. A
    /// template's own shorter prefixes are plain names: `foo-.service.d` applies
    /// to `foo-bar@i.service` too.
    pub(crate) fn drop_in_directories(&self) -> Vec<String> {
        let mut found = Vec::new();
        self.collect(&mut found);
        found
    }

    fn collect(&self, found: &mut Vec<String>) {
        let at = self.instance.map_or_else(String::new, |i| format!("@{i}"));
        let own = format!("{}{at}.{}.d", self.prefix, self.kind);
        if !found.contains(&own) {
            found.push(own);
        }
        if self.instance.is_some_and(|i| !i.is_empty()) {
            let template = UnitName {
                instance: Some(""),
                ..*self
            };
            template.collect(found);
        }
        if let Some(prefix) = shorter(self.prefix) {
            let instance = self.instance.filter(|i| !i.is_empty());
            UnitName {
                prefix,
                instance,
                ..*self
            }
            .collect(found);
        }
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
        assert_eq!(dirs("-.slice"), ["-.slice.d"]);
        assert_eq!(dirs("-a.slice"), ["-a.slice.d"]);
        assert_eq!(dirs("a-.slice"), ["a-.slice.d"]);
    }
}
