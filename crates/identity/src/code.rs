//! The code of a crate as the compiler reads it: tokens, module by module, as `mod` names them.

use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::visit_mut::{self, VisitMut};
use syn::{Item, Meta, MetaList, Token};

use crate::{Error, Parts, read};

/// Features that only tests turn on.
const FEATURES_OF_TESTS: [&str; 1] = ["samples"];

/// Attributes that change no behaviour: documentation and lints.
const IDLE: [&str; 6] = ["allow", "deny", "doc", "expect", "forbid", "warn"];

/// Macros that bring in what is not in the tokens.
const FROM_ELSEWHERE: [&str; 5] = ["env", "include", "include_bytes", "include_str", "option_env"];

/// Adds the crate `name` of the workspace at `root`.
pub fn add(root: &Path, name: &str, parts: &mut Parts) -> Result<(), Error> {
    let folder = root.join("crates").join(name).join("src");
    add_module(&folder.join("lib.rs"), &folder, name, parts)
}

/// Adds the module `name`, which is in `file` and has its submodules in `folder`, and these.
fn add_module(file: &Path, folder: &Path, name: &str, parts: &mut Parts) -> Result<(), Error> {
    let error = |error: &dyn std::fmt::Display| Error(format!("{}: {error}", file.display()));
    let text = read(file)?.replace("\r\n", "\n"); // as the compiler does
    let mut code = syn::parse_file(&text).map_err(|reason| error(&reason))?;
    Build.visit_file_mut(&mut code);
    parts.add(name);
    add_tokens(code.to_token_stream(), parts).map_err(|reason| error(&reason))?;
    add_submodules(&code.items, folder, name, parts)
}

fn add_submodules(items: &[Item], folder: &Path, name: &str, parts: &mut Parts) -> Result<(), Error> {
    for item in items {
        let Item::Mod(module) = item else { continue };
        let (folder, name) = (folder.join(module.ident.to_string()), format!("{name}::{}", module.ident));
        match &module.content {
            Some((_, items)) => add_submodules(items, &folder, &name, parts)?,
            None => add_module(&file_of(&folder), &folder, &name, parts)?,
        }
    }
    Ok(())
}

/// The file of the module that has its submodules in `folder`.
fn file_of(folder: &Path) -> PathBuf {
    let inside = folder.join("mod.rs");
    if inside.exists() { inside } else { folder.with_extension("rs") }
}

/// Adds tokens without where they stand and without idle attributes.
fn add_tokens(tokens: TokenStream, parts: &mut Parts) -> Result<(), Error> {
    let tokens: Vec<_> = tokens.into_iter().collect();
    let mut rest = &tokens[..];
    while let [token, behind @ ..] = rest {
        let attribute = attribute(rest).map(|(attribute, behind)| (first_word(attribute), behind));
        rest = match attribute {
            Some((name, behind)) if IDLE.contains(&name.as_str()) => behind,
            Some((name, _)) if name == "path" => {
                return Err(Error("the identity does not look where `#[path]` says that a module is".to_owned()));
            }
            _ => {
                add_token(token, behind.first(), parts)?;
                behind
            }
        };
    }
    Ok(())
}

fn first_word(tokens: TokenStream) -> String {
    tokens.into_iter().next().map(|word| word.to_string()).unwrap_or_default()
}

fn add_token(token: &TokenTree, next: Option<&TokenTree>, parts: &mut Parts) -> Result<(), Error> {
    match token {
        TokenTree::Group(group) => {
            let (begin, end) = match group.delimiter() {
                Delimiter::Parenthesis => ("(", ")"),
                Delimiter::Brace => ("{", "}"),
                Delimiter::Bracket => ("[", "]"),
                Delimiter::None => ("", ""),
            };
            parts.add(begin);
            add_tokens(group.stream(), parts)?;
            parts.add(end);
        }
        // `&&` is not `& &`.
        TokenTree::Punct(mark) if mark.spacing() == Spacing::Alone => parts.add(&format!("{mark} ")),
        TokenTree::Ident(ident)
            if FROM_ELSEWHERE.iter().any(|name| ident == name)
                && matches!(next, Some(TokenTree::Punct(mark)) if mark.as_char() == '!') =>
        {
            return Err(Error(format!("the identity does not see what `{ident}!` brings in")));
        }
        _ => parts.add(&token.to_string()),
    }
    Ok(())
}

/// The attribute that `tokens` begin with, and what is behind it.
fn attribute(tokens: &[TokenTree]) -> Option<(TokenStream, &[TokenTree])> {
    let is = |token: &TokenTree, mark| matches!(token, TokenTree::Punct(punct) if punct.as_char() == mark);
    let (group, behind) = match tokens {
        [hash, TokenTree::Group(group), behind @ ..] if is(hash, '#') => (group, behind),
        [hash, bang, TokenTree::Group(group), behind @ ..] if is(hash, '#') && is(bang, '!') => (group, behind),
        _ => return None,
    };
    (group.delimiter() == Delimiter::Bracket).then(|| (group.stream(), behind))
}

/// Leaves out what no build has but that of tests.
struct Build;

impl VisitMut for Build {
    fn visit_file_mut(&mut self, file: &mut syn::File) {
        file.items.retain(is_built);
        visit_mut::visit_file_mut(self, file);
    }

    fn visit_item_mod_mut(&mut self, module: &mut syn::ItemMod) {
        if let Some((_, items)) = &mut module.content {
            items.retain(is_built);
        }
        visit_mut::visit_item_mod_mut(self, module);
    }

    fn visit_item_impl_mut(&mut self, block: &mut syn::ItemImpl) {
        block.items.retain(is_built);
        visit_mut::visit_item_impl_mut(self, block);
    }

    fn visit_item_trait_mut(&mut self, item: &mut syn::ItemTrait) {
        item.items.retain(is_built);
        visit_mut::visit_item_trait_mut(self, item);
    }

    fn visit_item_enum_mut(&mut self, item: &mut syn::ItemEnum) {
        item.variants.retain(|variant| is_built(variant));
        visit_mut::visit_item_enum_mut(self, item);
    }

    fn visit_fields_named_mut(&mut self, fields: &mut syn::FieldsNamed) {
        fields.named.retain(|field| is_built(field));
        visit_mut::visit_fields_named_mut(self, fields);
    }

    fn visit_fields_unnamed_mut(&mut self, fields: &mut syn::FieldsUnnamed) {
        fields.unnamed.retain(|field| is_built(field));
        visit_mut::visit_fields_unnamed_mut(self, fields);
    }

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        block.stmts.retain(is_built);
        visit_mut::visit_block_mut(self, block);
    }

    fn visit_expr_match_mut(&mut self, expression: &mut syn::ExprMatch) {
        expression.arms.retain(is_built);
        visit_mut::visit_expr_match_mut(self, expression);
    }

    fn visit_expr_struct_mut(&mut self, expression: &mut syn::ExprStruct) {
        expression.fields.retain(|field| is_built(field));
        visit_mut::visit_expr_struct_mut(self, expression);
    }
}

/// Whether a build that is not of tests may have what these attributes stand before.
fn is_built(part: &impl ToTokens) -> bool {
    let tokens: Vec<_> = part.to_token_stream().into_iter().collect();
    let mut rest = &tokens[..];
    while let Some((attribute, behind)) = attribute(rest) {
        let condition = syn::parse2::<MetaList>(attribute).ok().filter(|list| list.path.is_ident("cfg"));
        if condition.is_some_and(|list| list.parse_args().is_ok_and(|condition| holds(&condition) == Some(false))) {
            return false;
        }
        rest = behind;
    }
    true
}

/// Whether a condition of `cfg` holds where no tests are built; nothing where that depends on more.
fn holds(condition: &Meta) -> Option<bool> {
    match condition {
        Meta::Path(path) => path.is_ident("test").then_some(false),
        Meta::NameValue(pair) => {
            let value = pair.value.to_token_stream().to_string();
            let is_of_tests = FEATURES_OF_TESTS.iter().any(|name| value == format!("{name:?}"));
            (pair.path.is_ident("feature") && is_of_tests).then_some(false)
        }
        Meta::List(list) => {
            let parts = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).ok()?;
            let parts: Vec<_> = parts.iter().map(holds).collect();
            match list.path.get_ident()?.to_string().as_str() {
                "not" => parts.first()?.map(|holds| !holds),
                "any" if parts.contains(&Some(true)) => Some(true),
                "all" if parts.contains(&Some(false)) => Some(false),
                word @ ("any" | "all") => (!parts.contains(&None)).then_some(word == "all"),
                _ => None,
            }
        }
    }
}
