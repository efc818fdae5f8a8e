//! The normal distribution's inverse.

#![expect(clippy::excessive_precision, reason = "coefficients stand here as they were published")]

use libm::{log, sqrt};

/// Below this distance from a half there is one approximation, beyond it another of the logarithm's root.
const CENTRAL: f64 = 0.425;
const CENTRAL_SQUARED: f64 = 0.180625;
/// And from this root on a third.
const FAR: f64 = 5.0;
const NEAR_OFFSET: f64 = 1.6;

/// Numerator and denominator, the highest power first.
type Quotient = [[f64; 8]; 2];

/// M. J. Wichura (1988), Algorithm AS 241, PPND16: these coefficients are its tables, as it has them.
const CENTRE: Quotient = [
    [
        2.509_080_928_730_122_672_7e3,
        3.343_057_558_358_812_810_5e4,
        6.726_577_092_700_870_085_3e4,
        4.592_195_393_154_987_145_7e4,
        1.373_169_376_550_946_112_5e4,
        1.971_590_950_306_551_442_7e3,
        1.331_416_678_917_843_774_5e2,
        3.387_132_872_796_366_608_0,
    ],
    [
        5.226_495_278_852_854_561_0e3,
        2.872_908_573_572_194_267_4e4,
        3.930_789_580_009_271_061_0e4,
        2.121_379_430_158_659_586_7e4,
        5.394_196_021_424_751_107_7e3,
        6.871_870_074_920_579_083_0e2,
        4.231_333_070_160_091_125_2e1,
        1.0,
    ],
];
const NEAR: Quotient = [
    [
        7.745_450_142_783_414_076_40e-4,
        2.272_384_498_926_918_458_33e-2,
        2.417_807_251_774_506_117_70e-1,
        1.270_458_252_452_368_382_58,
        3.647_848_324_763_204_605_04,
        5.769_497_221_460_691_405_50,
        4.630_337_846_156_545_295_90,
        1.423_437_110_749_683_577_34,
    ],
    [
        1.050_750_071_644_416_843_24e-9,
        5.475_938_084_995_344_946_00e-4,
        1.519_866_656_361_645_719_66e-2,
        1.481_039_764_274_800_745_90e-1,
        6.897_673_349_851_000_045_50e-1,
        1.676_384_830_183_803_849_40,
        2.053_191_626_637_758_821_87,
        1.0,
    ],
];
const FAR_OUT: Quotient = [
    [
        2.010_334_399_292_288_132_65e-7,
        2.711_555_568_743_487_578_15e-5,
        1.242_660_947_388_078_438_60e-3,
        2.653_218_952_657_612_309_30e-2,
        2.965_605_718_285_048_912_30e-1,
        1.784_826_539_917_291_335_80,
        5.463_784_911_164_114_369_90,
        6.657_904_643_501_103_777_20,
    ],
    [
        2.044_263_103_389_939_785_64e-15,
        1.421_511_758_316_445_888_70e-7,
        1.846_318_317_510_054_681_80e-5,
        7.868_691_311_456_132_591_00e-4,
        1.487_536_129_085_061_485_25e-2,
        1.369_298_809_227_358_053_10e-1,
        5.998_322_065_558_879_376_90e-1,
        1.0,
    ],
];

/// So many standard deviations above the mean lies what this share is below; 0 < share < 1.
pub fn deviations(share: f64) -> f64 {
    let from_half = share - 0.5;
    if from_half.abs() <= CENTRAL {
        let [above, below] = CENTRE.map(|powers| polynomial(powers, CENTRAL_SQUARED - from_half * from_half));
        return above * from_half / below;
    }
    let tail = if from_half <= 0.0 { share } else { 1.0 - share };
    let root = sqrt(-log(tail));
    let (quotient, offset) = if root <= FAR { (NEAR, NEAR_OFFSET) } else { (FAR_OUT, FAR) };
    let [above, below] = quotient.map(|powers| polynomial(powers, root - offset));
    (above / below).copysign(from_half)
}

fn polynomial(powers: [f64; 8], at: f64) -> f64 {
    powers.into_iter().reduce(|sum, power| sum * at + power).expect("eight")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Quantiles as tables of the distribution have them.
    #[test]
    fn known_quantiles_come_out() {
        let known = [
            (0.5, 0.0),
            (0.841_344_746_068_542_9, 1.0),
            (0.975, 1.959_963_984_540_054),
            (0.001, -3.090_232_306_167_813_5),
            (1e-9, -5.997_807_015_007_686_5),
            (1e-15, -7.941_345_326_170_998),
        ];
        for (share, expected) in known {
            let quantile = deviations(share);
            assert!((quantile - expected).abs() <= 1e-14 * expected.abs().max(1.0), "{share}: {quantile}");
        }
    }
}
