//! The keys of how large short transfers are.

use super::*;

/// Sizes by a lognormal distribution.
pub static LOGNORMAL_SIZE: Section = Section {
    only: "",
    keys: &[Key::required("lognormal", Table(&LOGNORMAL))
        .once()
        .about("Sizes whose logarithm is normally distributed: many small ones and a few large ones.")],
};

/// Sizes whose logarithm is normally distributed.
pub static LOGNORMAL: Section = Section {
    only: "",
    keys: &[
        Key::optional("mean", PAYLOAD)
            .examples(&[Text("100 kB")])
            .about("Mean of the sizes. Either it is written, or the median."),
        Key::optional("median", PAYLOAD).examples(&[Text("30 kB")]).about("Median of the sizes."),
        Key::required("sigma", SIGMA)
            .examples(&[Decimal(1.5)])
            .about("Standard deviation of the sizes' natural logarithm, a number."),
    ],
};

/// Sizes by a Pareto distribution.
pub static PARETO_SIZE: Section = Section {
    only: "",
    keys: &[Key::required("pareto", Table(&PARETO)).once().about("Sizes with a heavy tail, as files of the web have.")],
};

/// Sizes with a heavy tail: half as many are `2 ** (1 / shape)` times as large.
pub static PARETO: Section = Section {
    only: "",
    keys: &[
        Key::optional("mean", PAYLOAD)
            .examples(&[Text("100 kB")])
            .about("Mean of the sizes. Either it is written, or the minimum."),
        Key::optional("minimum", PAYLOAD).examples(&[Text("10 kB")]).about("The smallest size."),
        Key::required("shape", SHAPE).examples(&[Decimal(1.2)]).about(
            "The tail's exponent, a number: the smaller, the heavier. Without a maximum there is a mean only \
             above 1.",
        ),
        Key::optional("maximum", PAYLOAD)
            .examples(&[Text("100 MB")])
            .about("The largest size: the distribution is cut there (bounded Pareto). By default there is none."),
    ],
};

/// Sizes by a distribution that was measured.
pub static CDF_SIZE: Section = Section {
    only: "",
    keys: &[Key::required("cdf", File(FileKind::Cdf)).examples(&[Text("sizes.csv")]).about(
        "A CSV file, relative to the spec's folder: sizes in bytes and, for each, the share of transfers that \
             are no larger, from the smallest size to a share of 1. Between two sizes all are as likely.",
    )],
};
