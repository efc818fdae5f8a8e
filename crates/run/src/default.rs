//! Values that earlier runs do not have.

/// Of a field that earlier runs do not have: what has its default is what it was before there was the field.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
