//! The members of components in JSON. A component is named once, in a table by which it is read, written and listed.

use super::json::{Json, JsonNode};
use crate::error::Result;

/// The names of the members of each type of component.
pub type Kinds = &'static [(&'static str, &'static [&'static str])];

/// A value that is a member of an object.
pub(super) trait Member: Sized {
    /// Reads the value.
    fn read(node: &JsonNode<'_>) -> Result<Self>;

    /// Returns the value as JSON.
    fn json(&self) -> Json;

    /// Returns the value of a member that is missing or null; `None` if that is an error.
    fn missing() -> Option<Self> {
        None
    }
}

/// The settings of a component that are members of an object beside its `type`.
pub(super) trait Record: Sized {
    /// The names of the members.
    const MEMBERS: &'static [&'static str];

    /// Reads the members of an object that has no others.
    fn read_members(node: &JsonNode<'_>) -> Result<Self>;

    /// Returns the members in order.
    fn members(&self) -> Vec<(&'static str, Json)>;
}

impl<'a> JsonNode<'a> {
    /// Returns a member; a missing one is an error, unless the type has a value for it.
    pub(super) fn get<T: Member>(&self, name: &str) -> Result<T> {
        match self.find(name)? {
            Some(member) => T::read(&member),
            None => T::missing().map_or_else(|| Err(self.missing(name)), Ok),
        }
    }

    /// Returns a member, or else a default.
    pub(super) fn get_or<T: Member>(&self, name: &str, default: T) -> Result<T> {
        self.find(name)?.map_or(Ok(default), |member| T::read(&member))
    }

    /// Refuses members other than `type` and those of a component.
    pub(super) fn only_members(&self, members: &[&str]) -> Result<()> {
        self.only(&[&["type"], members].concat())
    }

    /// Returns the items of an array of this length.
    pub(super) fn tuple<const N: usize>(&self, names: &str) -> Result<[JsonNode<'a>; N]> {
        let items: Vec<JsonNode<'a>> = self.array()?.collect();
        items.try_into().map_err(|_| self.error(format!("expected {names}")))
    }
}

/// Returns the object of a component.
pub(super) fn component(kind: &str, members: Vec<(&'static str, Json)>) -> Json {
    let members = members.into_iter().map(|(name, value)| (name.to_owned(), value));
    Json::Object([("type".to_owned(), kind.into())].into_iter().chain(members).collect())
}

/// Implements [`Record`] for a struct whose fields have the names of the members.
macro_rules! record {
    ($type:ty { $($field:ident $(by $read:path)? $(= $default:expr)?),+ $(,)? }) => {
        impl $crate::format::members::Record for $type {
            const MEMBERS: &'static [&'static str] = &[$(stringify!($field)),+];

            fn read_members(node: &$crate::format::json::JsonNode<'_>) -> $crate::error::Result<Self> {
                node.only_members(Self::MEMBERS)?;
                Ok(Self { $($field: $crate::format::members::read_member!(node, $field $(, by $read)? $(, $default)?)),+ })
            }

            fn members(&self) -> Vec<(&'static str, $crate::format::json::Json)> {
                vec![$((stringify!($field), $crate::format::members::Member::json(&self.$field))),+]
            }
        }
    };
}

/// Implements [`Member`] for a struct whose fields have the names of the members of an object without a type.
macro_rules! object {
    ($type:ty { $($field:ident $(by $read:path)? $(= $default:expr)?),+ $(; ..$rest:expr)? }) => {
        impl $crate::format::members::Member for $type {
            fn read(node: &$crate::format::json::JsonNode<'_>) -> $crate::error::Result<Self> {
                node.only(&[$(stringify!($field)),+])?;
                Ok(Self {
                    $($field: $crate::format::members::read_member!(node, $field $(, by $read)? $(, $default)?),)+
                    $(..$rest)?
                })
            }

            fn json(&self) -> $crate::format::json::Json {
                $crate::format::json::object([$((stringify!($field), self.$field.json())),+])
            }
        }
    };
}

/// Reads a member, which may have a reader of its own, or a default.
macro_rules! read_member {
    ($node:ident, $name:ident, by $read:path) => {
        $read(&$node.member(stringify!($name))?)?
    };
    ($node:ident, $name:ident) => {
        $node.get(stringify!($name))?
    };
    ($node:ident, $name:ident, $default:expr) => {
        $node.get_or(stringify!($name), $default)?
    };
}

/// Implements [`Member`] for the components of a stage.
///
/// A function finds the type of an object. A row has a type and a variant: of a [`Record`], or else members, and the value
/// that they are parts of.
macro_rules! components {
    ($component:ident by $kind_of:path; $($kind:literal $(: $variant:ident($record:ty))?
        $({ $($member:ident $(= $default:expr)?),* } => $other:ident $(($($value:tt)*))? $({$($field:tt)*})?)?;)+
    ) => {
        impl $component {
            /// The types of the stage, and their members.
            pub(in crate::format) const KINDS: $crate::format::members::Kinds = &[$((
                $kind,
                $(<$record as $crate::format::members::Record>::MEMBERS)?
                $(&[$(stringify!($member)),*])?
            )),+];
        }

        impl $crate::format::members::Member for $component {
            fn read(node: &$crate::format::json::JsonNode<'_>) -> $crate::error::Result<Self> {
                Ok(match $kind_of(node)? {
                    $($kind => {
                        $($component::$variant($crate::format::members::Record::read_members(node)?))?
                        $({
                            node.only_members(&[$(stringify!($member)),*])?;
                            $(let $member = $crate::format::members::read_member!(node, $member $(, $default)?);)*
                            $component::$other $(($($value)*))? $({$($field)*})?
                        })?
                    })+
                    other => {
                        let kinds: Vec<&str> = Self::KINDS.iter().map(|(kind, _)| *kind).collect();
                        return Err(node.unknown_kind(other, &kinds));
                    }
                })
            }

            fn json(&self) -> $crate::format::json::Json {
                match self { $(
                    $($component::$variant(record) => $crate::format::members::component(
                        $kind,
                        $crate::format::members::Record::members(record),
                    ),)?
                    $($component::$other $(($($value)*))? $({$($field)*})? => $crate::format::members::component(
                        $kind,
                        vec![$((stringify!($member), $crate::format::members::Member::json($member))),*],
                    ),)?
                )+ }
            }
        }
    };
}

/// Implements [`Member`] for values with names.
macro_rules! names {
    ($type:ty: $names:expr) => {
        impl $crate::format::members::Member for $type {
            fn read(node: &$crate::format::json::JsonNode<'_>) -> $crate::error::Result<Self> {
                $crate::format::json::choice(node, $names)
            }

            fn json(&self) -> $crate::format::json::Json {
                $crate::format::json::name_of(*self, $names).into()
            }
        }
    };
}

pub(super) use {components, names, object, read_member, record};

/// Implements [`Member`] for values that JSON has.
macro_rules! plain {
    ($($type:ty: $read:ident, $json:expr;)+) => { $(
        impl Member for $type {
            fn read(node: &JsonNode<'_>) -> Result<Self> {
                node.$read().map(Into::into)
            }

            fn json(&self) -> Json {
                let json: fn(&Self) -> Json = $json;
                json(self)
            }
        }
    )+ };
}

plain! {
    bool: bool, |value| (*value).into();
    u32: id, |value| (*value).into();
    u64: unsigned, |value| (*value).into();
    usize: size, |value| (*value as u64).into();
    f64: float, |value| Json::Float(*value);
    char: char, |value| Json::String(value.to_string());
    String: str, |value| value.as_str().into();
}

impl<T: Member> Member for Option<T> {
    fn read(node: &JsonNode<'_>) -> Result<Self> {
        T::read(node).map(Some)
    }

    fn json(&self) -> Json {
        self.as_ref().map(T::json).into()
    }

    fn missing() -> Option<Self> {
        Some(None)
    }
}

impl<T: Member> Member for Vec<T> {
    fn read(node: &JsonNode<'_>) -> Result<Self> {
        node.array()?.map(|node| T::read(&node)).collect()
    }

    fn json(&self) -> Json {
        self.iter().map(T::json).collect()
    }
}
