//! Recognizes PNG, JPEG and WebP files by their headers, and reads their dimensions.
//!
//! Deliberately absent: decoding. The bytes are stored and served as they came, with the type that was recognized.

use std::fmt;

/// The kind of an image file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageKind {
    Png,
    Jpeg,
    Webp,
}

impl ImageKind {
    #[must_use]
    pub const fn content_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Webp => "image/webp",
        }
    }
}

/// What the header of an image says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Image {
    pub kind: ImageKind,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
}

/// Why bytes are no image that can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageProblem {
    /// None of the three kinds.
    Unknown,
    /// The header is not complete, or contradicts itself.
    Damaged,
}

impl fmt::Display for ImageProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unknown => "must be a PNG, JPEG or WebP file; SVG and other kinds are not accepted",
            Self::Damaged => "is a damaged image: its header has no dimensions",
        })
    }
}

impl Image {
    /// Reads the header.
    ///
    /// # Errors
    ///
    /// The reason why the bytes are no usable image.
    pub fn read(bytes: &[u8]) -> Result<Self, ImageProblem> {
        let read = if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
            (ImageKind::Png, png(bytes))
        } else if bytes.starts_with(&[0xff, 0xd8, 0xff]) {
            (ImageKind::Jpeg, jpeg(bytes))
        } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
            (ImageKind::Webp, webp(bytes))
        } else {
            return Err(ImageProblem::Unknown);
        };
        match read {
            (kind, Some((width, height))) if width > 0 && height > 0 => Ok(Self { kind, width, height }),
            (_, Some(_) | None) => Err(ImageProblem::Damaged),
        }
    }
}

fn big(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_be_bytes(four.try_into().ok()?))
}

fn big_16(bytes: &[u8], at: usize) -> Option<u32> {
    let two = bytes.get(at..at.checked_add(2)?)?;
    Some(u32::from(u16::from_be_bytes(two.try_into().ok()?)))
}

/// The first chunk of a PNG file is its header.
fn png(bytes: &[u8]) -> Option<(u32, u32)> {
    if bytes.get(8..16)? != b"\0\0\0\x0dIHDR" {
        return None;
    }
    let (width, height) = (big(bytes, 16)?, big(bytes, 20)?);
    // A larger number is invalid in the format.
    (width <= 0x7fff_ffff && height <= 0x7fff_ffff).then_some((width, height))
}

/// A JPEG file is a row of segments; a start of a frame has the dimensions.
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2;
    loop {
        if *bytes.get(at)? != 0xff {
            return None;
        }
        let marker = *bytes.get(at + 1)?;
        match marker {
            // A byte that fills.
            0xff => at += 1,
            // Start of a frame, except the tables of Huffman and arithmetic codes.
            0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => {
                return Some((big_16(bytes, at + 7)?, big_16(bytes, at + 5)?));
            }
            // Markers without a length, and the data of a frame that was never declared.
            0x00 | 0x01 | 0xd0..=0xda => return None,
            0x02..=0xbf | 0xc4 | 0xc8 | 0xcc | 0xdb..=0xfe => {
                let length = usize::try_from(big_16(bytes, at + 2)?).ok()?;
                if length < 2 {
                    return None;
                }
                at += 2 + length;
            }
        }
    }
}

fn little_14(bytes: &[u8], at: usize) -> Option<u32> {
    let two: [u8; 2] = bytes.get(at..at + 2)?.try_into().ok()?;
    Some(u32::from(u16::from_le_bytes(two) & 0x3fff))
}

fn little_24(bytes: &[u8], at: usize) -> Option<u32> {
    let [low, middle, high]: [u8; 3] = bytes.get(at..at + 3)?.try_into().ok()?;
    Some(u32::from_le_bytes([low, middle, high, 0]))
}

/// The first chunk of a WebP file is lossy, lossless, or the header of a file with several chunks.
fn webp(bytes: &[u8]) -> Option<(u32, u32)> {
    match bytes.get(12..16)? {
        b"VP8 " if bytes.get(23..26)? == [0x9d, 0x01, 0x2a] => Some((little_14(bytes, 26)?, little_14(bytes, 28)?)),
        b"VP8L" if *bytes.get(20)? == 0x2f => {
            let four: [u8; 4] = bytes.get(21..25)?.try_into().ok()?;
            let bits = u32::from_le_bytes(four);
            Some(((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1))
        }
        b"VP8X" => Some((little_24(bytes, 24)? + 1, little_24(bytes, 27)? + 1)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn png(width: u32, height: u32) -> Vec<u8> {
        let size = [width.to_be_bytes(), height.to_be_bytes()].concat();
        [b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".as_slice(), &size, &[8, 6, 0, 0, 0]].concat()
    }

    fn jpeg() -> Vec<u8> {
        let comment = [0xff, 0xfe, 0, 4, b'h', b'i'];
        let frame = [0xff, 0xc2, 0, 17, 8, 0, 48, 0, 160, 3];
        [[0xff, 0xd8, 0xff].as_slice(), &[0xe0, 0, 4, 1, 1], &comment, &[0xff], &frame].concat()
    }

    fn webp(chunk: &[u8; 4], body: &[u8]) -> Vec<u8> {
        [b"RIFF\x40\0\0\0WEBP".as_slice(), chunk, &[10, 0, 0, 0], body].concat()
    }

    fn files() -> Vec<(Vec<u8>, Image)> {
        let image = |kind, width, height| Image { kind, width, height };
        let lossless = (159_u32 | 47 << 14).to_le_bytes();
        vec![
            (png(160, 48), image(ImageKind::Png, 160, 48)),
            (jpeg(), image(ImageKind::Jpeg, 160, 48)),
            (webp(b"VP8 ", &[0, 0, 0, 0x9d, 1, 0x2a, 160, 0, 48, 0]), image(ImageKind::Webp, 160, 48)),
            (webp(b"VP8L", &[[0x2f].as_slice(), &lossless].concat()), image(ImageKind::Webp, 160, 48)),
            (webp(b"VP8X", &[0, 0, 0, 0, 159, 0, 0, 47, 0, 0]), image(ImageKind::Webp, 160, 48)),
        ]
    }

    #[test]
    fn dimensions_are_those_of_the_header() {
        for (bytes, image) in files() {
            assert_eq!(Image::read(&bytes), Ok(image));
        }
    }

    #[test]
    fn a_cut_file_is_damaged() {
        for (bytes, _) in files() {
            let needed = (0..bytes.len()).rfind(|length| Image::read(&bytes[..*length]).is_err()).unwrap();
            for length in 12..=needed {
                assert_eq!(Image::read(&bytes[..length]), Err(ImageProblem::Damaged));
            }
        }
        assert_eq!(Image::read(&png(0, 48)), Err(ImageProblem::Damaged));
        assert_eq!(Image::read(&png(u32::MAX, 48)), Err(ImageProblem::Damaged));
    }

    #[test]
    fn other_files_are_refused() {
        let svg = b"<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>";
        for bytes in [b"".as_slice(), b"GIF89a", svg, b"<?xml version=\"1.0\"?><svg/>", b"RIFF\0\0\0\0AVI ", b"\x89PNG"]
        {
            assert_eq!(Image::read(bytes), Err(ImageProblem::Unknown));
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_reader_panic(
            which in 0_usize..5, at in 0_usize..40, byte in any::<u8>(), tail in prop::collection::vec(any::<u8>(), 0..64)
        ) {
            let (mut bytes, _) = files().swap_remove(which);
            if let Some(found) = bytes.get_mut(at) {
                *found = byte;
            }
            bytes.extend(tail);
            let read = Image::read(&bytes);
            prop_assert!(read.is_err() || read.is_ok_and(|image| image.width > 0 && image.height > 0));
        }
    }
}
