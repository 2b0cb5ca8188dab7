//! A document as a tree, within limits.

use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};

use super::rules;
use crate::finding::{Findings, Place, Rule, quoted};

/// Largest document.
pub const BYTES_MAX: usize = 64 * 1024 * 1024;
/// Deepest nesting.
const DEPTH_MAX: usize = 32;
/// Most elements, so the tree of a small file of tiny elements stays small.
const ELEMENTS_MAX: usize = 2_000_000;

/// An element with its text and its children.
#[derive(Debug)]
pub struct Element {
    /// The name without a prefix.
    pub name: String,
    pub currency: Option<String>,
    pub text: String,
    pub children: Vec<Self>,
    line: u32,
    column: u32,
}

impl Element {
    pub fn place(&self) -> Place {
        Place { line: self.line, column: self.column, record: "element", field: "" }
    }

    pub fn child(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|child| child.name == name)
    }

    pub fn all<'e>(&'e self, name: &'e str) -> impl Iterator<Item = &'e Self> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// Follows a path of names separated by `/`.
    pub fn at(&self, path: &str) -> Option<&Self> {
        path.split('/').try_fold(self, |element, name| element.child(name))
    }

    /// The text without white space around it, if there is any.
    pub fn value(&self) -> Option<&str> {
        Some(self.text.trim()).filter(|text| !text.is_empty())
    }

    pub fn text_at(&self, path: &str) -> Option<String> {
        self.at(path).and_then(Self::value).map(str::to_owned)
    }
}

pub struct Document {
    pub namespace: String,
    pub root: Element,
}

/// Reads a document; `None` if it is not well-formed or exceeds a limit.
pub fn read(bytes: &[u8], findings: &mut Findings) -> Option<Document> {
    Builder::new(bytes, findings)?.build(false)
}

/// Reads only the start of the outermost element.
pub fn read_root(bytes: &[u8], findings: &mut Findings) -> Option<Document> {
    Builder::new(bytes, findings)?.build(true)
}

struct Builder<'t, 'f> {
    text: &'t str,
    findings: &'f mut Findings,
    namespace: String,
    open: Vec<Element>,
    elements: usize,
    /// The position up to which lines are counted.
    counted: usize,
    line: u32,
    line_start: usize,
}

impl<'t, 'f> Builder<'t, 'f> {
    fn new(bytes: &'t [u8], findings: &'f mut Findings) -> Option<Self> {
        if bytes.len() > BYTES_MAX {
            let message = format!("The file has {} bytes; the most is {BYTES_MAX}.", bytes.len());
            findings.add(&rules::TOO_LARGE, Place::FILE, message);
            return None;
        }
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let Ok(text) = std::str::from_utf8(bytes) else {
            findings.add(&rules::ENCODING, Place::FILE, "The document is not UTF-8.");
            return None;
        };
        let open = Vec::new();
        Some(Self { text, findings, namespace: String::new(), open, elements: 0, counted: 0, line: 1, line_start: 0 })
    }

    /// Returns line and column of a position, which only grows.
    fn position(&mut self, at: usize) -> (u32, u32) {
        let at = at.min(self.text.len());
        let passed = self.text.as_bytes().get(self.counted..at).unwrap_or_default();
        for (index, _) in passed.iter().enumerate().filter(|(_, byte)| **byte == b'\n') {
            self.line = self.line.saturating_add(1);
            self.line_start = self.counted + index + 1;
        }
        self.counted = self.counted.max(at);
        let column = u32::try_from(at.saturating_sub(self.line_start)).unwrap_or(u32::MAX);
        (self.line, column.saturating_add(1))
    }

    fn refuse(&mut self, rule: &'static Rule, at: usize, message: String) -> Option<Document> {
        let (line, column) = self.position(at);
        self.findings.add(rule, Place { line, column, record: "document", field: "" }, message);
        None
    }

    fn build(mut self, only_root: bool) -> Option<Document> {
        let mut reader = Reader::from_str(self.text);
        reader.config_mut().expand_empty_elements = true;
        loop {
            let at = usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX);
            let event = match reader.read_event() {
                Ok(event) => event,
                Err(error) => return self.refuse(&rules::NOT_WELL_FORMED, at, format!("{error}.")),
            };
            match event {
                Event::Start(start) => {
                    self.elements += 1;
                    if self.open.len() >= DEPTH_MAX {
                        return self.refuse(&rules::DEPTH, at, format!("There are more than {DEPTH_MAX} levels."));
                    }
                    if self.elements > ELEMENTS_MAX {
                        return self.refuse(&rules::SIZE, at, format!("There are more than {ELEMENTS_MAX} elements."));
                    }
                    if let Err(message) = self.start(&start, at) {
                        return self.refuse(&rules::NOT_WELL_FORMED, at, message);
                    }
                    if only_root {
                        let root = self.open.pop()?;
                        return Some(Document { namespace: self.namespace, root });
                    }
                }
                Event::End(_) => {
                    let element = self.open.pop()?;
                    match self.open.last_mut() {
                        Some(parent) => parent.children.push(element),
                        None => return self.end(reader, element),
                    }
                }
                Event::Text(text) => {
                    let decoded = text.decode().ok()?;
                    if !self.append(&decoded) {
                        return self.refuse(&rules::NOT_WELL_FORMED, at, "Text is outside of an element.".to_owned());
                    }
                }
                Event::CData(text) => {
                    let decoded = text.decode().ok()?;
                    self.append(&decoded);
                }
                Event::GeneralRef(reference) => match resolved(&reference) {
                    Some(letter) => drop(self.append(letter.encode_utf8(&mut [0; 4]))),
                    None => return self.refuse(&rules::ENTITY, at, "The document uses an unknown entity.".to_owned()),
                },
                Event::DocType(_) => {
                    let message = "The document has a document type declaration.".to_owned();
                    return self.refuse(&rules::DTD, at, message);
                }
                Event::Eof => {
                    return self.refuse(&rules::NOT_WELL_FORMED, at, "The document ends too early.".to_owned());
                }
                Event::Decl(_) | Event::Comment(_) | Event::PI(_) | Event::Empty(_) => {}
            }
        }
    }

    fn start(&mut self, start: &BytesStart<'_>, at: usize) -> Result<(), String> {
        let (line, column) = self.position(at);
        let full = std::str::from_utf8(start.name().into_inner()).unwrap_or_default().to_owned();
        let (prefix, name) = full.split_once(':').unwrap_or(("", &full));
        let declares = if prefix.is_empty() { "xmlns".to_owned() } else { format!("xmlns:{prefix}") };
        let mut currency = None;
        for attribute in start.attributes() {
            let attribute = attribute.map_err(|error| format!("{error}."))?;
            let key = attribute.key.into_inner();
            let is_namespace = self.open.is_empty() && key == declares.as_bytes();
            if key == b"Ccy" || is_namespace {
                let value = String::from_utf8_lossy(&attribute.value).into_owned();
                if is_namespace { self.namespace = value } else { currency = Some(value) }
            }
        }
        let (text, children) = (String::new(), Vec::new());
        self.open.push(Element { name: name.to_owned(), currency, text, children, line, column });
        Ok(())
    }

    /// Appends text to the open element. Returns whether it has a place.
    fn append(&mut self, text: &str) -> bool {
        match self.open.last_mut() {
            Some(element) => element.text.push_str(text),
            None => return text.trim().is_empty(),
        }
        true
    }

    /// Checks that nothing but comments follows the document.
    fn end(mut self, mut reader: Reader<&[u8]>, root: Element) -> Option<Document> {
        loop {
            let at = usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX);
            match reader.read_event() {
                Ok(Event::Eof) => return Some(Document { namespace: self.namespace, root }),
                Ok(Event::Comment(_) | Event::PI(_)) => {}
                Ok(Event::Text(text)) if text.decode().is_ok_and(|text| text.trim().is_empty()) => {}
                Ok(_) => {
                    let message = format!("Something follows the end of {}.", quoted(&root.name));
                    return self.refuse(&rules::NOT_WELL_FORMED, at, message);
                }
                Err(error) => return self.refuse(&rules::NOT_WELL_FORMED, at, format!("{error}.")),
            }
        }
    }
}

/// Resolves a character reference or one of the five entities of XML.
fn resolved(reference: &BytesRef<'_>) -> Option<char> {
    if let Some(letter) = reference.resolve_char_ref().ok()? {
        return Some(letter);
    }
    match reference.decode().ok()?.as_ref() {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => None,
    }
}
