//! Colors, and their contrast by WCAG 2.2. Integers only.

use std::fmt;

/// The contrast that text needs against its background, in hundredths (WCAG 2.2, 1.4.3).
pub const CONTRAST_MIN: u32 = 450;

/// The steps between a color and black or white in which a color that passes is searched.
const STEPS: u32 = 256;

/// The part of each level of sRGB in the linear light of its channel, in millionths.
#[rustfmt::skip]
const LINEAR: [u32; 256] = [
    0, 304, 607, 911, 1_214, 1_518, 1_821, 2_125, 2_428, 2_732, 3_035, 3_347, 3_677, 4_025, 4_391, 4_777, 5_182,
    5_605, 6_049, 6_512, 6_995, 7_499, 8_023, 8_568, 9_134, 9_721, 10_330, 10_960, 11_612, 12_286, 12_983, 13_702,
    14_444, 15_209, 15_996, 16_807, 17_642, 18_500, 19_382, 20_289, 21_219, 22_174, 23_153, 24_158, 25_187, 26_241,
    27_321, 28_426, 29_557, 30_713, 31_896, 33_105, 34_340, 35_601, 36_889, 38_204, 39_546, 40_915, 42_311, 43_735,
    45_186, 46_665, 48_172, 49_707, 51_269, 52_861, 54_480, 56_128, 57_805, 59_511, 61_246, 63_010, 64_803, 66_626,
    68_478, 70_360, 72_272, 74_214, 76_185, 78_187, 80_220, 82_283, 84_376, 86_500, 88_656, 90_842, 93_059, 95_307,
    97_587, 99_899, 102_242, 104_616, 107_023, 109_462, 111_932, 114_435, 116_971, 119_538, 122_139, 124_772, 127_438,
    130_136, 132_868, 135_633, 138_432, 141_263, 144_128, 147_027, 149_960, 152_926, 155_926, 158_961, 162_029,
    165_132, 168_269, 171_441, 174_647, 177_888, 181_164, 184_475, 187_821, 191_202, 194_618, 198_069, 201_556,
    205_079, 208_637, 212_231, 215_861, 219_526, 223_228, 226_966, 230_740, 234_551, 238_398, 242_281, 246_201,
    250_158, 254_152, 258_183, 262_251, 266_356, 270_498, 274_677, 278_894, 283_149, 287_441, 291_771, 296_138,
    300_544, 304_987, 309_469, 313_989, 318_547, 323_143, 327_778, 332_452, 337_164, 341_914, 346_704, 351_533,
    356_400, 361_307, 366_253, 371_238, 376_262, 381_326, 386_429, 391_572, 396_755, 401_978, 407_240, 412_543,
    417_885, 423_268, 428_690, 434_154, 439_657, 445_201, 450_786, 456_411, 462_077, 467_784, 473_531, 479_320,
    485_150, 491_021, 496_933, 502_886, 508_881, 514_918, 520_996, 527_115, 533_276, 539_479, 545_724, 552_011,
    558_340, 564_712, 571_125, 577_580, 584_078, 590_619, 597_202, 603_827, 610_496, 617_207, 623_960, 630_757,
    637_597, 644_480, 651_406, 658_375, 665_387, 672_443, 679_542, 686_685, 693_872, 701_102, 708_376, 715_694,
    723_055, 730_461, 737_910, 745_404, 752_942, 760_525, 768_151, 775_822, 783_538, 791_298, 799_103, 806_952,
    814_847, 822_786, 830_770, 838_799, 846_873, 854_993, 863_157, 871_367, 879_622, 887_923, 896_269, 904_661,
    913_099, 921_582, 930_111, 938_686, 947_307, 955_973, 964_686, 973_445, 982_251, 991_102, 1_000_000,
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Color {
    pub red: u8,
    pub green: u8,
    pub blue: u8,
}

pub const WHITE: Color = Color { red: 255, green: 255, blue: 255 };
pub const BLACK: Color = Color { red: 0, green: 0, blue: 0 };

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.digits())
    }
}

impl Color {
    pub const fn new(red: u8, green: u8, blue: u8) -> Self {
        Self { red, green, blue }
    }

    /// Parses six hex digits: `14634a`.
    #[must_use]
    pub fn of_digits(digits: &str) -> Option<Self> {
        if digits.len() != 6 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        let [_, red, green, blue] = u32::from_str_radix(digits, 16).ok()?.to_be_bytes();
        Some(Self { red, green, blue })
    }

    /// Parses `#14634a`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        text.strip_prefix('#').and_then(Self::of_digits)
    }

    /// Returns the six digits, in lower case.
    #[must_use]
    pub fn digits(&self) -> String {
        format!("{:02x}{:02x}{:02x}", self.red, self.green, self.blue)
    }

    /// Returns the relative luminance, in millionths.
    fn luminance(&self) -> u64 {
        let part = |level: u8, weight: u64| u64::from(LINEAR[usize::from(level)]) * weight;
        (part(self.red, 2_126) + part(self.green, 7_152) + part(self.blue, 722)) / 10_000
    }

    /// Returns the contrast with another color in hundredths, rounded down: 2100 for black on white.
    #[must_use]
    pub fn contrast(&self, other: &Color) -> u32 {
        let (own, other) = (self.luminance() + 50_000, other.luminance() + 50_000);
        u32::try_from(own.max(other) * 100 / own.min(other)).unwrap_or(u32::MAX)
    }

    /// Returns the mixture of this color with `share` parts of 256 of another.
    #[must_use]
    pub fn mixed(&self, other: &Color, share: u32) -> Self {
        let level = |own: u8, other: u8| {
            let sum = u32::from(own) * STEPS.saturating_sub(share) + u32::from(other) * share.min(STEPS);
            u8::try_from((sum + STEPS / 2) / STEPS).unwrap_or(u8::MAX)
        };
        Self {
            red: level(self.red, other.red),
            green: level(self.green, other.green),
            blue: level(self.blue, other.blue),
        }
    }

    /// Returns the color on the way to `end` that is nearest to this one and has [`CONTRAST_MIN`] against the
    /// background; `end` if none has.
    #[must_use]
    pub fn toward(&self, end: &Color, background: &Color) -> Self {
        let passes = |color: &Color| color.contrast(background) >= CONTRAST_MIN;
        (0..STEPS).map(|share| self.mixed(end, share)).find(passes).unwrap_or(*end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn color(text: &str) -> Color {
        Color::parse(text).unwrap()
    }

    /// Values of the WebAIM contrast checker.
    #[test]
    fn contrasts_are_those_of_the_standard() {
        for (text, with_white) in [
            ("#000000", 2_100),
            ("#ffffff", 100),
            ("#777777", 447),
            ("#767676", 454),
            ("#ff0000", 399),
            ("#0000ff", 859),
            ("#14634a", 720),
        ] {
            let contrast = color(text).contrast(&WHITE);
            assert!(contrast.abs_diff(with_white) <= 1, "{text}: {contrast}");
        }
    }

    #[test]
    fn only_six_hex_digits_are_a_color() {
        assert_eq!(color("#AbCdEf").to_string(), "#abcdef");
        for text in ["", "#", "#fff", "#12345", "#1234567", "123456", "#12345g", "#+12345", "red", "#12345é"] {
            assert_eq!(Color::parse(text), None, "{text}");
        }
    }

    #[test]
    fn the_nearest_color_passes_and_the_one_before_it_does_not() {
        for red in (0..=255).step_by(51) {
            for (green, blue) in [(0, 0), (255, 0), (90, 200), (255, 255), (128, 128)] {
                let own = Color::new(red, green, blue);
                let dark = own.toward(&BLACK, &WHITE);
                assert!(dark.contrast(&WHITE) >= CONTRAST_MIN, "{own} {dark}");
                let light = own.toward(&WHITE, &BLACK);
                assert!(light.contrast(&BLACK) >= CONTRAST_MIN, "{own} {light}");
                if own.contrast(&WHITE) >= CONTRAST_MIN {
                    assert_eq!(own, dark);
                }
            }
        }
        let share = |share| color("#ff8800").mixed(&BLACK, share);
        let nearest = color("#ff8800").toward(&BLACK, &WHITE);
        let first = (0..256).find(|step| share(*step) == nearest).unwrap();
        assert!(share(first - 1).contrast(&WHITE) < CONTRAST_MIN);
    }
}
