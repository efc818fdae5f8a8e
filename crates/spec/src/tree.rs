//! What a spec says, each key with its value: [`Table`] and [`Node`], and [`View`], which sees them at a point.

use crate::key::{Key, Section};
use crate::quantity::Quantity;
use crate::word::{Fields, Word};

/// A field has a problem, or a list where one value belongs: a rule that asks for it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unknown;

/// A table of a spec: a node for each key of its section.
#[derive(Clone, Debug)]
pub struct Table {
    /// Its keys.
    pub section: &'static Section,
    nodes: Vec<Node>,
    /// The places of the keys that were written, in that order.
    written: Vec<usize>,
}

/// The value of a key.
#[derive(Clone, Debug)]
pub enum Node {
    /// One with a problem of its own.
    Unknown,
    /// Nothing is written, and there is no default.
    Absent,
    /// A quantity.
    Quantity(Quantity),
    /// A word, a name, a file, a congestion control.
    Text(String),
    /// A whole number.
    Integer(u64),
    /// A number.
    Number(f64),
    /// True or false.
    Flag(bool),
    /// Texts in order: the words of a program, the names of hops, or the values of a key that may have several.
    Texts(Vec<String>),
    /// A table.
    Table(Table),
    /// A list of tables, which is no sweep.
    Tables(Vec<Table>),
    /// A list of values, an axis of the sweep.
    Sweep(Sweep),
    /// Seeds that are listed.
    Seeds(Vec<u64>),
    /// Lists of paths of fields.
    Zip(Vec<Vec<String>>),
    /// Values of fields by their paths.
    Values(Fields),
    /// Two moments.
    Window(Box<[Quantity; 2]>),
}

/// A list of values where one belongs.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// Its place among the axes; None: it is inside another list, which is a problem.
    pub axis: Option<usize>,
    /// Its values.
    pub values: Vec<Node>,
}

impl Table {
    /// Of a section, with nothing but defaults in it; `default` makes the node of a key's.
    pub fn new(section: &'static Section, default: impl Fn(&'static Key) -> Node) -> Self {
        Self { section, nodes: section.keys.iter().map(default).collect(), written: Vec::new() }
    }

    /// Sets the key at a place, as written now.
    pub fn write(&mut self, place: usize, node: Node) {
        self.nodes[place] = node;
        self.written.push(place);
    }

    /// Sets the key at a place as a default does, which nobody wrote.
    pub fn fill(&mut self, place: usize, node: Node) {
        self.nodes[place] = node;
    }

    /// Every key that was written, in that order.
    pub fn written(&self) -> impl Iterator<Item = (&'static str, &Node)> {
        self.written.iter().map(|place| (self.section.keys[*place].name, &self.nodes[*place]))
    }

    /// Likewise, to change them.
    pub fn for_each_written(&mut self, mut change: impl FnMut(&'static str, &mut Node)) {
        for place in &self.written {
            change(self.section.keys[*place].name, &mut self.nodes[*place]);
        }
    }

    /// The node of a key, of which a section that has no such key has none.
    pub fn node(&self, key: &str) -> Option<&Node> {
        self.section.place(key).map(|place| &self.nodes[place])
    }

    /// Whether a key of this table, or of one in it as `path.jitter`, was written.
    pub fn is_written(&self, path: &str) -> bool {
        match path.split_once('.') {
            None => self.written().any(|(name, _)| name == path),
            Some((table, key)) => matches!(self.node(table), Some(Node::Table(table)) if table.is_written(key)),
        }
    }

    /// As it was written; what is at its default is left out.
    pub fn fields(&self) -> Fields {
        self.written().map(|(key, node)| (key.to_owned(), node.word())).collect()
    }
}

impl Node {
    /// As it was written.
    pub fn word(&self) -> Word {
        match self {
            Self::Unknown | Self::Absent => Word::Nothing,
            Self::Quantity(quantity) => Word::Text(quantity.text.clone()),
            Self::Text(text) => Word::Text(text.clone()),
            Self::Integer(number) => Word::Integer((*number).into()),
            Self::Number(number) => Word::Number(*number),
            Self::Flag(flag) => Word::Flag(*flag),
            Self::Texts(values) => texts(values),
            Self::Table(table) => Word::Table(table.fields()),
            Self::Tables(tables) => Word::List(tables.iter().map(|table| Word::Table(table.fields())).collect()),
            Self::Sweep(sweep) => Word::List(sweep.values.iter().map(Self::word).collect()),
            Self::Seeds(seeds) => Word::List(seeds.iter().map(|seed| Word::Integer((*seed).into())).collect()),
            Self::Values(fields) => Word::Table(fields.clone()),
            Self::Zip(bundles) => Word::List(bundles.iter().map(|bundle| texts(bundle)).collect()),
            Self::Window(moments) => Word::List(moments.iter().map(|moment| Word::Text(moment.text.clone())).collect()),
        }
    }
}

fn texts(values: &[String]) -> Word {
    Word::List(values.iter().map(|word| Word::Text(word.clone())).collect())
}

/// A table at a point of the sweep.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The table.
    pub table: &'a Table,
    /// The value of each axis by its place in the list.
    chosen: &'a [usize],
}

impl<'a> View<'a> {
    /// Sees a table with these values of the axes.
    pub const fn new(table: &'a Table, chosen: &'a [usize]) -> Self {
        Self { table, chosen }
    }

    /// The value of a key at the point; None of one that is absent.
    ///
    /// # Errors
    /// When it has a problem.
    pub fn get(&self, key: &str) -> Result<Option<&'a Node>, Unknown> {
        self.one(self.table.node(key).ok_or(Unknown)?)
    }

    fn one(&self, node: &'a Node) -> Result<Option<&'a Node>, Unknown> {
        match node {
            Node::Unknown => Err(Unknown),
            Node::Absent => Ok(None),
            Node::Sweep(sweep) => {
                self.one(sweep.axis.and_then(|axis| sweep.values.get(self.chosen[axis])).ok_or(Unknown)?)
            }
            node => Ok(Some(node)),
        }
    }

    /// Whether a key has a value, and be it one with a problem.
    pub fn has(&self, key: &str) -> bool {
        self.table.node(key).is_some_and(|node| !matches!(node, Node::Absent))
    }

    /// A quantity that has a default, or must be there.
    ///
    /// # Errors
    /// When it has a problem.
    pub fn quantity(&self, key: &str) -> Result<&'a Quantity, Unknown> {
        self.quantity_if(key)?.ok_or(Unknown)
    }

    /// A quantity that may be absent.
    ///
    /// # Errors
    /// When it has a problem.
    pub fn quantity_if(&self, key: &str) -> Result<Option<&'a Quantity>, Unknown> {
        self.as_if(key, |node| if let Node::Quantity(quantity) = node { Some(quantity) } else { None })
    }

    /// In base units, of a quantity whose bounds leave it 64 bits.
    ///
    /// # Errors
    /// When it has a problem.
    pub fn count(&self, key: &str) -> Result<u64, Unknown> {
        Ok(self.quantity(key)?.count())
    }

    /// In base units, of one that may be absent.
    ///
    /// # Errors
    /// When it has a problem.
    pub fn count_if(&self, key: &str) -> Result<Option<u64>, Unknown> {
        Ok(self.quantity_if(key)?.map(Quantity::count))
    }

    /// A text that has a default, or must be there.
    ///
    /// # Errors
    /// When it has a problem.
    pub fn text(&self, key: &str) -> Result<&'a str, Unknown> {
        self.text_if(key)?.ok_or(Unknown)
    }

    /// A text that may be absent.
    ///
    /// # Errors
    /// When it has a problem.
    pub fn text_if(&self, key: &str) -> Result<Option<&'a str>, Unknown> {
        self.as_if(key, |node| if let Node::Text(text) = node { Some(text.as_str()) } else { None })
    }

    /// A whole number that has a default.
    ///
    /// # Errors
    /// When it has a problem.
    pub fn integer(&self, key: &str) -> Result<u64, Unknown> {
        self.integer_if(key)?.ok_or(Unknown)
    }

    /// A whole number that may be absent.
    ///
    /// # Errors
    /// When it has a problem.
    pub fn integer_if(&self, key: &str) -> Result<Option<u64>, Unknown> {
        self.as_if(key, |node| if let Node::Integer(number) = node { Some(*number) } else { None })
    }

    /// A number that may be absent.
    ///
    /// # Errors
    /// When it has a problem.
    pub fn number_if(&self, key: &str) -> Result<Option<f64>, Unknown> {
        self.as_if(key, |node| if let Node::Number(number) = node { Some(*number) } else { None })
    }

    /// A number that must be there.
    ///
    /// # Errors
    /// When it has a problem.
    pub fn number(&self, key: &str) -> Result<f64, Unknown> {
        self.number_if(key)?.ok_or(Unknown)
    }

    /// True or false.
    ///
    /// # Errors
    /// When it has a problem.
    pub fn flag(&self, key: &str) -> Result<bool, Unknown> {
        self.as_if(key, |node| if let Node::Flag(flag) = node { Some(*flag) } else { None })?.ok_or(Unknown)
    }

    /// Texts in order, that may be absent.
    ///
    /// # Errors
    /// When it has a problem.
    pub fn texts_if(&self, key: &str) -> Result<Option<&'a [String]>, Unknown> {
        self.as_if(key, |node| if let Node::Texts(values) = node { Some(values.as_slice()) } else { None })
    }

    /// Each of the texts of a key that may have several.
    ///
    /// # Errors
    /// When it has a problem.
    pub fn each_text(&self, key: &str) -> Result<&'a [String], Unknown> {
        let texts = self.as_if(key, |node| match node {
            Node::Text(text) => Some(std::slice::from_ref(text)),
            Node::Texts(texts) => Some(texts.as_slice()),
            _ => None,
        })?;
        texts.ok_or(Unknown)
    }

    /// Two moments, that may be absent.
    ///
    /// # Errors
    /// When it has a problem.
    pub fn window_if(&self, key: &str) -> Result<Option<&'a [Quantity; 2]>, Unknown> {
        self.as_if(key, |node| if let Node::Window(moments) = node { Some(&**moments) } else { None })
    }

    /// A table that must be there, or has a default.
    ///
    /// # Errors
    /// When it has a problem.
    pub fn table(&self, key: &str) -> Result<Self, Unknown> {
        self.table_if(key)?.ok_or(Unknown)
    }

    /// A table, if one is there.
    ///
    /// # Errors
    /// When it has a problem.
    pub fn table_if(&self, key: &str) -> Result<Option<Self>, Unknown> {
        match self.get(key)? {
            Some(Node::Table(table)) => Ok(Some(Self::new(table, self.chosen))),
            _ => Ok(None),
        }
    }

    /// The tables of a list.
    ///
    /// # Errors
    /// When it has a problem.
    pub fn tables(&self, key: &str) -> Result<Vec<Self>, Unknown> {
        match self.get(key)? {
            Some(Node::Tables(tables)) => Ok(tables.iter().map(|table| Self::new(table, self.chosen)).collect()),
            _ => Ok(Vec::new()),
        }
    }

    fn as_if<T>(&self, key: &str, read: impl Fn(&'a Node) -> Option<T>) -> Result<Option<T>, Unknown> {
        self.get(key)?.map(|node| read(node).ok_or(Unknown)).transpose()
    }
}
