"""Thirty synthetic tables as people really have them, and what a right answer says of each.

Eighteen are ordinary, twelve hold a trap: something for which a naive comparison of training on
pairs with training on points answers confidently and wrongly. `write` makes all the files.
The tables are invented; where the truth is known by construction, `expected` says so.
"""

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

Rng = np.random.Generator
Frame = pd.DataFrame


@dataclass(frozen=True)
class Further:
    """A table, the options for it after the name of its file, and what is right to say of it."""

    name: str
    make: Callable[[Rng], Frame]
    options: tuple[str, ...]
    trap: bool
    expected: str
    separator: str = ","
    decimal: str = "."
    suffix: str = ".csv"


def _event(rng: Rng, logit: np.ndarray, share: float) -> np.ndarray:
    """Draw 0 or 1 by a logistic model whose intercept gives about this share of ones."""
    low, high = -300.0, 300.0
    for _ in range(60):
        middle = (low + high) / 2
        if (1 / (1 + np.exp(-np.clip(logit + middle, -50, 50)))).mean() < share:
            low = middle
        else:
            high = middle
    chance = 1 / (1 + np.exp(-np.clip(logit + low, -50, 50)))
    return (rng.random(len(logit)) < chance).astype(int)


def _levels(rng: Rng, score: np.ndarray, shares: tuple[float, ...]) -> np.ndarray:
    """Draw levels 0, 1, ... in these shares by proportional odds on the score."""
    latent = score + rng.logistic(size=len(score))
    return np.searchsorted(np.quantile(latent, np.cumsum(shares)[:-1]), latent)


def _holes(rng: Rng, frame: Frame, **shares: float) -> Frame:
    """Blank a share of each of the columns that are named."""
    for column, share in shares.items():
        frame[column] = frame[column].mask(rng.random(len(frame)) < share)
    return frame


def _dates(rng: Rng, n: int, first: str, days: int) -> pd.Series:
    """Draw n days from the first on, as a sorted series."""
    offsets = np.sort(rng.integers(0, days, n))
    return pd.Series(pd.Timestamp(first) + pd.to_timedelta(offsets, unit="D"))


def _pick(rng: Rng, n: int, words: str, shares: list[float] | None = None) -> np.ndarray:
    """Draw n of the words, which are separated by bars."""
    return rng.choice(words.split("|"), n, p=shares)


def _yes(x: np.ndarray, yes: str = "yes", no: str = "no") -> np.ndarray:
    """Say in words what is 1 and what is 0."""
    return np.where(np.asarray(x, bool), yes, no)


def churn(rng: Rng, n: int = 4000) -> Frame:
    """Customers of a telephone company; a linear logistic model of leaving is true."""
    tenure, calls = rng.integers(1, 73, n), rng.poisson(1.4, n)
    contract = _pick(rng, n, "month-to-month|one year|two years", [0.55, 0.25, 0.2])
    internet = _pick(rng, n, "DSL|fibre|none", [0.4, 0.4, 0.2])
    charges = np.round(20 + 45 * (internet == "fibre") + rng.gamma(4, 5, n), 2)
    logit = -0.03 * tenure + 0.35 * calls + 0.015 * charges + 0.9 * (contract == "month-to-month")
    return _holes(
        rng,
        pd.DataFrame(
            {
                "customer_id": [f"{a:04d}-{b}" for a, b in enumerate(_pick(rng, n, "QX|RT|LM"))],
                "gender": _pick(rng, n, "female|male"),
                "senior": rng.integers(0, 2, n),
                "partner": _yes(rng.integers(0, 2, n)),
                "dependents": _yes(rng.random(n) < 0.3),
                "tenure_months": tenure,
                "contract": contract,
                "internet": internet,
                "monthly_charges": charges,
                "support_calls": calls,
                "payment": _pick(rng, n, "card|bank transfer|electronic check|mailed check"),
                "paperless": _yes(rng.integers(0, 2, n)),
                "streaming": _yes(rng.random(n) < 0.4),
                "data_gb": rng.gamma(2, 6, n).round(1),
                "churned": _yes(_event(rng, logit, 0.26)),
            }
        ),
        data_gb=0.04,
        payment=0.01,
    )


def credit(rng: Rng, n: int = 6000) -> Frame:
    """Applicants for a credit card; the log-odds bend and saturate, one in eight fails to pay."""
    income, age = rng.lognormal(10.4, 0.5, n), rng.integers(18, 80, n)
    use, late, debt = rng.beta(1.2, 2.5, n), rng.poisson(0.5, n), rng.gamma(2, 0.15, n)
    home = _pick(rng, n, "rent|own|mortgage|other", [0.4, 0.15, 0.4, 0.05])
    logit = (
        2.5 * np.maximum(use - 0.5, 0) * 3
        + 1.1 * np.minimum(late, 3)
        - 0.9 * np.log(income)
        + 1.2 * np.tanh(2 * debt)
        + 0.03 * np.maximum(35 - age, 0)
        + 0.3 * (home == "rent")
    )
    return _holes(
        rng,
        pd.DataFrame(
            {
                "application_no": 700000 + np.arange(n),
                "age": age,
                "income": income.round(-2),
                "home": home,
                "utilisation": use.round(4),
                "late_payments_24m": late,
                "debt_to_income": debt.round(3),
                "open_accounts": rng.poisson(8, n),
                "inquiries_6m": rng.poisson(1, n),
                "years_employed": rng.gamma(1.5, 4, n).round(0),
                "purpose": _pick(rng, n, "car|card|renovation|medical|holiday|wedding|other"),
                "amount": rng.integers(10, 350, n) * 100,
                "term": rng.choice([36, 60], n),
                "state": _pick(rng, n, "CA|TX|NY|FL|IL|OH|WA|GA|MI|NJ"),
                "dependants": rng.poisson(0.8, n),
                "has_phone": rng.integers(0, 2, n),
                "default": _event(rng, logit, 0.125),
            }
        ),
        years_employed=0.06,
        income=0.02,
        debt_to_income=0.03,
    )


def medical_trial(rng: Rng, n: int = 96) -> Frame:
    """A trial with 96 patients, written by a European spreadsheet (semicolons, decimal commas)."""
    arm, crp = rng.permutation(np.repeat(["placebo", "verum"], n // 2)), rng.lognormal(1.5, 0.7, n)
    logit = 1.3 * (arm == "verum") - 0.8 * np.log(crp)
    return _holes(
        rng,
        pd.DataFrame(
            {
                "subject": [f"S{i:03d}" for i in range(1, n + 1)],
                "enrolled": _dates(rng, n, "2021-02-01", 500).dt.strftime("%d.%m.%Y"),
                "arm": arm,
                "sex": _pick(rng, n, "f|m"),
                "das28": rng.normal(5.1, 0.9, n).round(2),
                "age": rng.integers(22, 81, n),
                "bmi": rng.normal(26, 4, n).round(1),
                "crp": crp.round(2),
                "hb": rng.normal(13.5, 1.4, n).round(1),
                "smoker": _pick(rng, n, "never|former|current"),
                "outcome": _yes(_event(rng, logit, 0.4), "responder", "non-responder"),
            }
        ),
        crp=0.05,
        hb=0.08,
        smoker=0.03,
    )


def sensors(rng: Rng, n: int = 3000) -> Frame:
    """Sixty columns of a pump; faults come where temperature is off to either side under load."""
    x, load = rng.normal(size=(n, 57)), rng.gamma(3, 1, n)
    logit = 1.1 * load * (np.abs(x[:, 3]) - 0.8) + 1.2 * x[:, 10] * x[:, 20] + 0.3 * x[:, 7]
    frame = pd.DataFrame(x.round(3)).add_prefix("s")
    frame = frame.rename(columns={"s3": "temp_dev", "s10": "vib_x", "s20": "vib_y"})
    frame["load"], frame["mode"] = load.round(2), _pick(rng, n, "idle|run|boost", [0.2, 0.7, 0.1])
    frame["fault"] = _event(rng, logit, 0.2)
    return _holes(rng, frame, s33=0.3, s34=0.3, vib_y=0.02)


def housing(rng: Rng, n: int = 2500) -> Frame:
    """Houses that were sold, with a price of log-linear form and an effect of the place."""
    area, year = rng.lognormal(4.7, 0.35, n), rng.integers(1890, 2023, n)
    lat, lon, rank = rng.uniform(48, 48.3, n), rng.uniform(11.4, 11.7, n), rng.integers(0, 8, n)
    centre = np.hypot((lat - 48.14) * 111, (lon - 11.57) * 74)
    log_price = (
        8.6
        + 0.85 * np.log(area)
        - 0.045 * centre
        + 0.001 * (year - 1950)
        - 0.03 * rank
        + rng.normal(0, 0.18, n)
    )
    return _holes(
        rng,
        pd.DataFrame(
            {
                "listing": [f"H{v}" for v in rng.permutation(np.arange(20000, 20000 + n))],
                "living_area": area.round(0),
                "rooms": np.clip((area / 28).round(), 1, None).astype(int),
                "built": year,
                "energy_class": np.array(list("ABCDEFGH"))[rank],
                "heating": _pick(rng, n, "gas|oil|heat pump|district"),
                "lat": lat.round(5),
                "lon": lon.round(5),
                "garage": rng.integers(0, 3, n),
                "floor": rng.integers(0, 6, n),
                "plot": (rng.gamma(2, 200, n)).round(0),
                "balcony": _yes(rng.integers(0, 2, n)),
                "condition": _pick(rng, n, "new|good|fair|needs work", [0.1, 0.5, 0.3, 0.1]),
                "price": (3 * np.exp(log_price)).round(-3),
            }
        ),
        energy_class=0.15,
        plot=0.35,
        built=0.03,
    )


def wine(rng: Rng, n: int = 1600) -> Frame:
    """Wines rated 3 to 8 by proportional odds on a linear score: pairs and points must tie."""
    names = [
        "fixed_acidity",
        "volatile_acidity",
        "citric_acid",
        "residual_sugar",
        "chlorides",
        "free_so2",
        "total_so2",
        "density",
        "ph",
        "sulphates",
        "alcohol",
    ]
    x = rng.normal(size=(n, 11)) @ (np.eye(11) + 0.25 * rng.normal(size=(11, 11)))
    score = 1.1 * x[:, 10] - 0.8 * x[:, 1] + 0.5 * x[:, 9] - 0.3 * x[:, 6] - 0.2 * x[:, 4]
    frame = pd.DataFrame((x * 1.7 + 12).round(2), columns=names)
    frame["quality"] = 3 + _levels(rng, score, (0.02, 0.05, 0.4, 0.38, 0.12, 0.03))
    return frame


def search_log(rng: Rng, queries: int = 250, depth: int = 18) -> Frame:
    """Results of 250 queries with relevance 0, 1, 2; hard queries match better throughout."""
    shift = np.repeat(rng.normal(size=queries), depth)
    within, noise = rng.normal(size=(queries * depth, 4)), rng.normal(size=(queries * depth, 3))
    x = within + 1.5 * shift[:, None] * np.array([1.0, 0.8, 0, -0.8])
    score = within @ np.array([1.0, 0.6, 0.3, -0.6]) - 1.8 * shift
    return pd.DataFrame(
        {
            "query": [f"q{q:03d}" for q in np.repeat(np.arange(queries), depth)],
            "doc": rng.integers(10_000, 99_999, queries * depth),
            "bm25": (10 + 2 * x[:, 0]).round(3),
            "title_match": x[:, 1].round(3),
            "freshness": x[:, 2].round(3),
            "doc_length": np.exp(6 + 0.6 * x[:, 3]).round(),
            "inlinks": np.exp(noise[:, 0]).round(2),
            "url_depth": 1 + rng.poisson(2, queries * depth),
            "spam": noise[:, 1].round(3),
            "click_prior": noise[:, 2].round(3),
            "relevance": _levels(rng, score, (0.6, 0.25, 0.15)),
        }
    )


def ecology(rng: Rng, sites: int = 90, traps: int = 10) -> Frame:
    """Counts of a beetle in 10 traps at each of 90 sites: many zeros, overdispersed."""
    n = sites * traps
    moist, canopy = rng.normal(size=sites).repeat(traps), rng.beta(2, 2, sites).repeat(traps)
    litter = rng.gamma(2, 2, n)
    mean = np.exp(
        0.4
        + 0.7 * moist
        - 2 * (canopy - 0.6) ** 2
        + 0.12 * litter
        + rng.normal(0, 0.6, sites).repeat(traps)
    )
    count = rng.poisson(mean * rng.gamma(0.7, 1 / 0.7, n)) * (rng.random(n) > 0.2)
    return _holes(
        rng,
        pd.DataFrame(
            {
                "site": [f"site_{s:02d}" for s in np.arange(sites).repeat(traps)],
                "trap": np.tile(np.arange(1, traps + 1), sites),
                "moisture": moist.round(2),
                "canopy": canopy.round(2),
                "litter_cm": litter.round(1),
                "habitat": _pick(rng, sites, "bog|meadow|spruce|beech").repeat(traps),
                "ph": rng.normal(5.5, 0.7, n).round(1),
                "altitude": rng.integers(200, 1500, sites).repeat(traps),
                "observer": _pick(rng, n, "AM|JK|TS"),
                "abundance": count,
            }
        ),
        litter_cm=0.05,
        ph=0.1,
    )


def exam_grades(rng: Rng, n: int = 1800, schools: int = 45) -> Frame:
    """Grades in words of pupils in 45 schools; pupils of a school are alike."""
    school = rng.integers(0, schools, n)
    attend, hours, prior = rng.beta(9, 1.5, n), rng.gamma(2, 2.5, n), rng.normal(60, 12, n)
    score = (
        0.06 * prior
        + 3 * attend
        + 0.12 * np.minimum(hours, 10)
        + rng.normal(0, 0.6, schools)[school]
    )
    words = np.array(["fail", "pass", "merit", "distinction"])
    return _holes(
        rng,
        pd.DataFrame(
            {
                "pupil": np.arange(1, n + 1),
                "school": [f"School {s + 1}" for s in school],
                "sex": _pick(rng, n, "F|M"),
                "free_meals": _yes(rng.random(n) < 0.2, "Y", "N"),
                "attendance": (attend * 100).round(1),
                "study_hours": hours.round(1),
                "mock_exam": prior.round(0),
                "class_size": rng.integers(17, 33, schools)[school],
                "first_language": _pick(rng, n, "English|other", [0.8, 0.2]),
                "transport": _pick(rng, n, "bus|walk|car|bicycle"),
                "siblings": rng.poisson(1.2, n),
                "grade": words[_levels(rng, score, (0.15, 0.4, 0.3, 0.15))],
            }
        ),
        mock_exam=0.06,
        study_hours=0.1,
    )


def ab_test(rng: Rng, n: int = 20_000) -> Frame:
    """An A/B test of a button in which nothing has any effect on conversion: pure noise."""
    return pd.DataFrame(
        {
            "visitor": [f"{v:08x}" for v in rng.choice(2**32, n, replace=False)],
            "variant": _pick(rng, n, "A|B"),
            "day": _dates(rng, n, "2023-05-01", 28),
            "device": _pick(rng, n, "mobile|desktop|tablet", [0.6, 0.33, 0.07]),
            "browser": _pick(rng, n, "Chrome|Safari|Firefox|Edge"),
            "returning": rng.integers(0, 2, n),
            "country": _pick(rng, n, "DE|AT|CH|FR|IT|NL|PL"),
            "pages": 1 + rng.poisson(3, n),
            "seconds": rng.lognormal(4, 1, n).round(),
            "scroll": rng.random(n).round(2),
            "converted": _event(rng, np.zeros(n), 0.06),
        }
    )


def insurance(rng: Rng, n: int = 3000) -> Frame:
    """Amounts of claims of a German insurer; the tail is very heavy and hides the means."""
    power, age, bonus = rng.integers(40, 250, n), rng.integers(18, 85, n), rng.integers(0, 36, n)
    region = rng.integers(0, 7, n)
    log_claim = (
        6.5
        + 0.006 * power
        + 0.02 * np.maximum(30 - age, 0)
        - 0.015 * bonus
        + 0.15 * region
        + 0.7 * rng.standard_t(2.2, n)
    )
    return _holes(
        rng,
        pd.DataFrame(
            {
                "Police": [f"KFZ-{v}" for v in rng.permutation(np.arange(310000, 310000 + n))],
                "Alter": age,
                "Leistung_kW": power,
                "SF_Klasse": bonus,
                "Regionalklasse": [f"R{r + 1}" for r in region],
                "Kraftstoff": _pick(rng, n, "Benzin|Diesel|Elektro|Hybrid"),
                "Fahrzeugalter": rng.gamma(2, 3.5, n).round(1),
                "Fahrleistung": rng.integers(3, 40, n) * 1000,
                "Garage": _yes(rng.integers(0, 2, n), "ja", "nein"),
                "Selbstbeteiligung": rng.choice([0, 150, 300, 500], n),
                "Schadenhoehe": np.exp(np.clip(log_claim, 2, 15)).round(2),
            }
        ),
        Fahrleistung=0.08,
        Fahrzeugalter=0.02,
    )


def survey_likert(rng: Rng, n: int = 1200) -> Frame:
    """Answers to a survey of staff, with weights of the sample and an agreement in five words."""
    mood = rng.normal(size=n)
    items = np.clip(np.round(3 + mood[:, None] * 0.6 + rng.normal(0, 0.9, (n, 12))), 1, 5)
    frame = pd.DataFrame(items, columns=[f"q{i}" for i in range(1, 13)])
    frame.insert(0, "respondent", np.arange(5001, 5001 + n))
    frame["age_group"] = _pick(rng, n, "18-29|30-44|45-59|60+")
    frame["team"], frame["part_time"] = _pick(rng, n, "sales|IT|HR"), _yes(rng.random(n) < 0.25)
    frame["design_weight"] = rng.choice([0.5, 0.75, 1, 1.25, 2], n)
    words = np.array(["strongly disagree", "disagree", "neutral", "agree", "strongly agree"])
    level = _levels(rng, 0.5 * (items - 3) @ np.linspace(1, 0, 12), (0.08, 0.17, 0.25, 0.35, 0.15))
    frame["would_recommend"] = words[level]
    return _holes(rng, frame, q3=0.05, q8=0.07, q11=0.12)


def chemistry(rng: Rng, n: int = 420) -> Frame:
    """Solubility of 420 compounds with descriptors; nearly linear in log P and the weight."""
    weight, logp = rng.gamma(6, 50, n), rng.normal(2.3, 1.7, n)
    rings, tpsa = rng.poisson(1.8, n), rng.gamma(3, 22, n)
    log_s = 0.3 - logp - 0.004 * weight - 0.2 * rings + 0.004 * tpsa + rng.normal(0, 0.7, n)
    return pd.DataFrame(
        {
            "compound": [f"CMP-{v:05d}" for v in rng.choice(99999, n, replace=False)],
            "mol_weight": weight.round(2),
            "logp": logp.round(2),
            "tpsa": tpsa.round(1),
            "rings": rings,
            "h_donors": rng.poisson(1.3, n),
            "h_acceptors": rng.poisson(3.4, n),
            "rotatable": rng.poisson(4, n),
            "aromatic_share": rng.beta(2, 2, n).round(2),
            "melting_point": np.where(rng.random(n) < 0.3, np.nan, rng.normal(130, 60, n).round()),
            "source": _pick(rng, n, "in-house|literature"),
            "log_s": log_s.round(2),
        }
    )


def sports(rng: Rng, n: int = 2280) -> Frame:
    """Six seasons of football with the result for the home team; nothing changes over time."""
    teams = np.array([f"FC {c}{d}" for c in "ABCDE" for d in "1234"])
    home = rng.integers(0, 20, n)
    away = (home + rng.integers(1, 20, n)) % 20
    strength = rng.normal(0, 0.6, 20)
    logit, elo = 1.1 * (strength[home] - strength[away]), 1500 + 200 * strength
    return pd.DataFrame(
        {
            "date": _dates(rng, n, "2017-08-11", 2100),
            "home": teams[home],
            "away": teams[away],
            "elo_home": (elo[home] + rng.normal(0, 40, n)).round(),
            "elo_away": (elo[away] + rng.normal(0, 40, n)).round(),
            "rest_home": rng.integers(3, 9, n),
            "rest_away": rng.integers(3, 9, n),
            "injured_home": rng.poisson(2, n),
            "injured_away": rng.poisson(2, n),
            "derby": rng.random(n) < 0.06,
            "odds_seen": rng.normal(0.45, 0.1, n).round(2),
            "home_win": np.array([False, True])[_event(rng, logit, 0.45)],
        }
    )


def manufacturing(rng: Rng, n: int = 2000) -> Frame:
    """Cast parts, rejected if a sum of three deviations is too large: next to no noise."""
    x = rng.normal(size=(n, 9))
    frame = pd.DataFrame((x * 0.05 + 12).round(5), columns=[f"dim_{c}" for c in "abcdefghi"])
    frame.insert(0, "part_no", [f"P{i:06d}" for i in rng.permutation(n)])
    frame["mould"], frame["shift"] = _pick(rng, n, "M1|M2|M3"), _pick(rng, n, "early|late|night")
    frame["rejected"] = _event(rng, 45 * (x[:, 0] + x[:, 3] - x[:, 5]), 0.15)
    return frame


def tickets(rng: Rng, n: int = 5000) -> Frame:
    """Support tickets without their text; the priority was set by people in four words."""
    product, plan = _pick(rng, n, "app|web|api|billing"), _pick(rng, n, "free|team|enterprise")
    users, past = rng.lognormal(1, 1.2, n).round(), rng.poisson(2, n)
    score = (
        0.8 * np.log1p(users)
        + 0.9 * (plan == "enterprise")
        + 0.5 * (product == "api")
        + 0.8 * (product == "billing") * (plan != "free")
        - 0.1 * past
    )
    clock = pd.to_timedelta(rng.integers(0, 86400, n), unit="s")
    words = np.array(["low", "normal", "high", "urgent"])
    return _holes(
        rng,
        pd.DataFrame(
            {
                "ticket": np.arange(88001, 88001 + n),
                "opened": _dates(rng, n, "2023-01-01", 360) + clock,
                "product": product,
                "plan": plan,
                "channel": _pick(rng, n, "mail|chat|phone|form"),
                "language": _pick(rng, n, "en|de|fr|es|ja"),
                "affected_users": users,
                "earlier_tickets": past,
                "attachments": rng.poisson(0.7, n),
                "account_age_days": rng.integers(0, 2500, n),
                "version": _pick(rng, n, "4.1|4.2|4.3|5.0"),
                "priority": words[_levels(rng, score, (0.3, 0.45, 0.18, 0.07))],
            }
        ),
        affected_users=0.2,
        version=0.05,
    )


def energy(rng: Rng, n: int = 24 * 92) -> Frame:
    """Three months of hourly load of a town, on the second sheet of a workbook."""
    when = pd.Series(pd.date_range("2022-10-01", periods=n, freq="h"))
    hour, weekend = when.dt.hour.to_numpy(), (when.dt.day_of_week >= 5).to_numpy()
    temp = 9 - 3 * np.cos(2 * np.pi * hour / 24) + np.repeat(rng.normal(0, 4, 92), 24)
    load = (
        55
        + 14 * np.sin((hour - 7) * np.pi / 12)
        + 1.1 * np.maximum(15 - temp, 0)
        - 9 * weekend
        + rng.normal(0, 3, n)
    )
    return pd.DataFrame(
        {
            "timestamp": when,
            "hour": hour,
            "weekday": when.dt.day_name(),
            "temp_c": temp.round(1),
            "wind_ms": rng.gamma(2, 2, n).round(1),
            "humidity": np.clip(rng.normal(75, 12, n), 20, 100).round(),
            "load_mw": load.round(2),
        }
    )


def gene_panel(rng: Rng, n: int = 60) -> Frame:
    """Sixty patients and 57 genes, none of which has to do with the relapse: pure noise."""
    frame = pd.DataFrame(rng.lognormal(3, 1, (n, 57)).round(2)).add_prefix("G")
    frame.insert(0, "patient", [f"PT{i:02d}" for i in range(n)])
    relapse = rng.permutation(np.repeat([0, 1], [36, 24]))
    return frame.assign(stage=_pick(rng, n, "I|II|III"), relapse=relapse)


def biopsy(rng: Rng, n: int = 1400) -> Frame:
    """Screening for cancer; grade and plan are filled in after the result, so holes tell it."""
    age, density = rng.integers(40, 75, n), rng.integers(1, 5, n)
    y = _event(rng, 0.04 * age + 0.3 * density, 0.14)
    filled = rng.random(n) < np.where(y == 1, 0.93, 0.03)
    return pd.DataFrame(
        {
            "screening_no": rng.permutation(n) + 10_000,
            "age": age,
            "density": density,
            "bmi": rng.normal(26, 4, n).round(1),
            "family_history": _yes(rng.random(n) < 0.12),
            "children": rng.poisson(1.6, n),
            "hormones": _pick(rng, n, "none|past|current"),
            "lesion_mm": rng.gamma(3, 3 + y, n).round(1),
            "grade": np.where(filled, rng.integers(1, 4, n), np.nan),
            "conference_week": np.where(filled, rng.integers(1, 53, n), np.nan),
            "centre": _pick(rng, n, "north|south|west"),
            "malignant": y,
        }
    )


def readmission(rng: Rng, persons: int = 400, stays: int = 6) -> Frame:
    """Six stays of each of 400 patients; the outcome is the patient's, nothing predicts it."""
    n = persons * stays
    who = rng.permutation(np.repeat(np.arange(persons), stays))
    y = (rng.random(persons) < 0.35)[who] ^ (rng.random(n) < 0.03)
    fixed = rng.normal(size=(persons, 5))[who]
    return pd.DataFrame(
        {
            "patient_no": 4000 + who,
            "admitted": _dates(rng, n, "2019-01-01", 1400),
            "birth_year": (1960 + 15 * fixed[:, 2]).round(),
            "height": (170 + 9 * fixed[:, 0]).round(),
            "weight_kg": (78 + 14 * fixed[:, 1] + rng.normal(0, 1, n)).round(1),
            "hba1c": (6.2 + fixed[:, 2] + rng.normal(0, 0.1, n)).round(1),
            "egfr": (75 + 18 * fixed[:, 3] + rng.normal(0, 2, n)).round(),
            "systolic": (132 + 15 * fixed[:, 4] + rng.normal(0, 4, n)).round(),
            "ward": _pick(rng, n, "2A|2B|3A|ICU"),
            "nights": 1 + rng.poisson(4, n),
            "readmitted": _yes(y),
        }
    )


def competition(rng: Rng, n: int = 4000) -> Frame:
    """Train and test file of a competition in one; the test labels are withheld and read -1."""
    late = np.arange(n) >= 2800
    x = rng.normal(size=(n, 16)) + 0.8 * late[:, None] * (np.arange(16) % 4 == 0)
    y = _event(rng, x[:, 1] + 0.7 * x[:, 2] - 0.6 * x[:, 5], 0.3)
    frame = pd.DataFrame(x.round(4), columns=[f"var_{i}" for i in range(16)])
    frame.insert(0, "id", np.arange(n))
    frame["cat_1"], frame["cat_2"] = _pick(rng, n, "a|b|c|d"), _pick(rng, n, "x|y")
    frame["target"] = np.where(late, -1, y)
    return frame


def used_cars(rng: Rng, n: int = 3000) -> Frame:
    """Offers of used cars; for dear ones the price is on request, and then it stands as 0."""
    year, km, make = rng.integers(2003, 2024, n), rng.gamma(2.5, 35_000, n), rng.integers(0, 8, n)
    price = np.exp(8.2 + 0.09 * (year - 2010) - km / 2e5 + 0.18 * make + rng.normal(0, 0.2, n))
    hidden = rng.random(n) < 0.35 * (price > np.quantile(price, 0.65)) + 0.02
    names = np.array(["Dacia", "Fiat", "Opel", "Ford", "VW", "Volvo", "BMW", "Porsche"])
    return _holes(
        rng,
        pd.DataFrame(
            {
                "offer": rng.permutation(n) + 900_000,
                "make": names[make],
                "year": year,
                "km": km.round(-2),
                "fuel": _pick(rng, n, "petrol|diesel|hybrid|electric"),
                "gearbox": _pick(rng, n, "manual|automatic"),
                "owners": 1 + rng.poisson(1, n),
                "power_hp": (80 + 20 * make + rng.normal(0, 15, n)).round(),
                "colour": _pick(rng, n, "black|white|grey|red|blue"),
                "dealer": _yes(rng.random(n) < 0.7),
                "price": np.where(hidden, 0, price.round(-1)),
            }
        ),
        power_hp=0.04,
        km=0.02,
    )


def creatinine(rng: Rng, n: int = 1600) -> Frame:
    """Blood values of eight clinics, three of which give the target in other units."""
    clinic, age = rng.integers(0, 8, n), rng.integers(20, 90, n)
    male, muscle = rng.integers(0, 2, n), rng.normal(size=n)
    value = np.exp(-0.2 + 0.005 * (age - 50) + 0.2 * male + 0.08 * muscle + rng.normal(0, 0.2, n))
    return _holes(
        rng,
        pd.DataFrame(
            {
                "sample": rng.permutation(n) + 55_000,
                "clinic": [f"K{c + 1}" for c in clinic],
                "age": age,
                "sex": _yes(male, "m", "f"),
                "lean_mass": (50 + 8 * muscle).round(1),
                "potassium": rng.normal(4.2, 0.4, n).round(1),
                "sodium": rng.normal(140, 3, n).round(),
                "diabetes": _yes(rng.random(n) < 0.2),
                "diuretics": rng.integers(0, 2, n),
                "creatinine": np.where(clinic >= 5, (value * 88.4).round(0), value.round(2)),
            }
        ),
        potassium=0.05,
        lean_mass=0.25,
    )


def passengers(rng: Rng) -> Frame:
    """Passengers of a ship as a table of counts: a row is a cell, `freq` says how many people."""
    cells = pd.MultiIndex.from_product(
        [
            ["1st", "2nd", "3rd", "crew"],
            ["female", "male"],
            ["child", "adult", "old"],
            ["Cork", "Cherbourg", "Southampton", "Belfast"],
        ],
        names=["class", "sex", "age", "port"],
    ).to_frame(index=False)
    size = rng.poisson(3 + 14 * (cells["age"] == "adult") * (1 + (cells["class"] == "3rd")))
    logit = (
        2.2 * (cells["sex"] == "female")
        + 0.9 * (cells["class"] == "1st")
        - 0.7 * (cells["class"] == "3rd")
        + 0.8 * (cells["age"] == "child")
        - 1.0
    )
    saved = rng.binomial(size, 1 / (1 + np.exp(-logit)))
    both = pd.concat(
        [cells.assign(survived="no", freq=size - saved), cells.assign(survived="yes", freq=saved)]
    )
    return both[both["freq"] > 0].sample(frac=1, random_state=rng).reset_index(drop=True)


def transplant(rng: Rng, n: int = 900) -> Frame:
    """Days after a transplant up to death or the end of the study; most times are censored."""
    age, ischaemia = rng.integers(18, 72, n), rng.gamma(4, 3, n)
    start = _dates(rng, n, "2012-01-01", 3200)
    follow = (pd.Timestamp("2021-06-30") - start).dt.days.to_numpy()
    life = rng.weibull(0.9, n) * 5000 * np.exp(-0.04 * (age - 50) - 0.06 * (ischaemia - 12))
    return _holes(
        rng,
        pd.DataFrame(
            {
                "recipient": [f"TX{i:04d}" for i in range(n)],
                "transplanted": start,
                "age": age,
                "donor_age": rng.integers(16, 75, n),
                "ischaemia_h": ischaemia.round(1),
                "hla_mismatch": rng.integers(0, 7, n),
                "sex": _pick(rng, n, "F|M"),
                "blood_group": _pick(rng, n, "0|A|B|AB"),
                "dialysis_years": rng.gamma(2, 2, n).round(1),
                "living_donor": rng.random(n) < 0.25,
                "status": (life <= follow).astype(int),
                "days": np.maximum(np.minimum(life, follow), 1).astype(int),
            }
        ),
        dialysis_years=0.1,
        hla_mismatch=0.04,
    )


def retail(rng: Rng) -> Frame:
    """Sales of shops by month and product, with a row of the sum below each block of products."""
    blocks, size = [], rng.normal(0, 0.3, 14)
    for shop in range(14):
        for month in pd.period_range("2022-01", periods=18, freq="M"):
            price, promo = rng.uniform(2, 9, 6).round(2), rng.integers(0, 2, 6)
            units = np.exp(4 + size[shop] - 0.12 * price + 0.3 * promo + rng.normal(0, 0.3, 6))
            units, shelf = units.round(), rng.gamma(3, 1, 6).round(1)
            for column in (units, promo, shelf):
                column[5] = column[:5].sum().round(1)
            price[5] = price[:5].mean().round(2)
            block = pd.DataFrame(
                {
                    "shop": f"Filiale {shop + 1}",
                    "month": str(month),
                    "price": price,
                    "product": ["bread", "milk", "coffee", "cheese", "beer", "Total"],
                    "promotion": promo,
                    "shelf_m": shelf,
                    "units": units,
                }
            )
            blocks.append(block)
    return pd.concat(blocks, ignore_index=True)


def fraud(rng: Rng, n: int = 6000) -> Frame:
    """Card payments of two years in order of time; the effects turn round in the last third."""
    when, amount = _dates(rng, n, "2021-01-01", 730), rng.lognormal(3.5, 1, n)
    turned = np.where(when >= pd.Timestamp("2022-05-01"), -0.8, 1.0)
    distance, foreign, night = rng.exponential(20, n), rng.random(n) < 0.15, rng.random(n) < 0.2
    signs = np.log(amount) - 3.5 + 0.03 * (distance - 20) + 1.2 * (foreign - 0.15)
    return _holes(
        rng,
        pd.DataFrame(
            {
                "booked": when,
                "amount": amount.round(2),
                "distance_km": distance.round(1),
                "foreign": _yes(foreign),
                "night": _yes(night),
                "card_age_days": rng.integers(1, 2000, n),
                "year_month": when.dt.year * 100 + when.dt.month,
                "pin_tries": 1 + (rng.random(n) < 0.05),
                "merchant": _pick(rng, n, "food|fuel|travel|online|clothes|other"),
                "fraud": _event(rng, turned * signs + 0.5 * night, 0.1),
            }
        ),
        distance_km=0.05,
    )


def case_control(rng: Rng, n: int = 800) -> Frame:
    """Samples of a biobank; cases were frozen first, so number, box and code tell the class."""
    y = np.where(np.arange(n) < 320, 1, 0)
    x = rng.normal(size=(n, 14)) + 0.15 * y[:, None] * (np.arange(14) < 3)
    frame = pd.DataFrame(np.exp(x).round(3), columns=[f"metab_{i:02d}" for i in range(14)])
    frame.insert(0, "code", [f"{'PT' if c else 'KO'}-{i:04d}" for i, c in enumerate(y, 1)])
    frame.insert(1, "freezer_box", 1 + np.arange(n) // 27)
    frame["age"], frame["sex"] = rng.integers(30, 80, n), _pick(rng, n, "f|m")
    frame["diagnosis"] = _yes(y, "case", "control")
    return frame.sample(frac=1, random_state=rng).reset_index(drop=True)


def microloans(rng: Rng, n: int = 3000) -> Frame:
    """Small loans with the rate of default of their postcode, the row's own outcome included."""
    area, income = rng.integers(0, 900, n), rng.lognormal(7.5, 0.4, n)
    y = _event(rng, -0.5 * np.log(income), 0.22)
    frame = pd.DataFrame(
        {
            "loan": rng.permutation(n) + 1,
            "postcode": 10_000 + 37 * area,
            "income": income.round(),
            "amount": rng.integers(2, 40, n) * 50,
            "weeks": rng.choice([12, 26, 52], n),
            "purpose": _pick(rng, n, "stock|school|livestock|repair"),
            "age": rng.integers(18, 70, n),
            "group_loan": _yes(rng.random(n) < 0.4),
            "defaulted": y,
        }
    )
    risk = frame.groupby("postcode")["defaulted"].transform("mean")
    frame.insert(3, "postcode_risk", risk.round(3))
    return frame


def no_show(rng: Rng, n: int = 2400) -> Frame:
    """Appointments at five practices, each of which writes yes and no in its own way."""
    place, lead, sms = rng.integers(0, 5, n), rng.gamma(1.5, 8, n).round(), rng.integers(0, 2, n)
    y = _event(rng, 0.06 * lead - 0.9 * sms, 0.3)
    words = np.array([["no", "yes"], ["No", "Yes"], ["n", "y"], ["no", "yes"], ["NO", "YES "]])
    return _holes(
        rng,
        pd.DataFrame(
            {
                "appointment": rng.permutation(n) + 300_000,
                "practice": np.array(list("ABCDE"))[place],
                "booked_days_ahead": lead,
                "sms": sms,
                "age": rng.integers(1, 92, n),
                "weekday": _pick(rng, n, "Mon|Tue|Wed|Thu|Fri"),
                "first_visit": _yes(rng.random(n) < 0.2),
                "insurance": _pick(rng, n, "public|private", [0.88, 0.12]),
                "no_show": words[place, y],
            }
        ),
        age=0.03,
    )


TABLES: list[Further] = [
    Further(
        "churn",
        churn,
        ("--target", "churned"),
        False,
        "Known: the linear logistic model is "
        "true: pairs and points tie, boosted trees are not ahead.",
    ),
    Further(
        "credit",
        credit,
        ("--target", "default"),
        False,
        "Pairs gain nothing that matters; "
        "boosted trees are at most a little ahead of linear scorers.",
    ),
    Further(
        "medical_trial",
        medical_trial,
        ("--target", "outcome", "--positive", "responder"),
        False,
        "96 rows are too few: undecided, with wide intervals; no gain may be claimed.",
        separator=";",
        decimal=",",
    ),
    Further(
        "sensors",
        sensors,
        ("--target", "fault"),
        False,
        "Known: effects are even or "
        "products: linear scorers are near chance, boosted trees far ahead either way.",
    ),
    Further(
        "housing",
        housing,
        ("--target", "price", "--continuous"),
        False,
        "Boosting and forests are ahead of single trees, on pairs or points.",
    ),
    Further(
        "wine",
        wine,
        ("--target", "quality"),
        False,
        "Known: proportional odds on a linear "
        "score are true, so pairs tie with them; the lowest level is rare (32 rows).",
    ),
    Further(
        "search_log",
        search_log,
        ("--target", "relevance", "--queries", "query"),
        False,
        "Known: effects within queries are opposite to pooled ones: pairs within queries gain "
        "very much over points and over pairs of all rows.",
    ),
    Further(
        "ecology",
        ecology,
        ("--target", "abundance", "--continuous", "--groups", "site"),
        False,
        "Many equal counts, whole sites tested: ranking is modest; pairs gain nothing "
        "beyond what ranks or ensembles give.",
        separator="\t",
        suffix=".tsv",
    ),
    Further(
        "exam_grades",
        exam_grades,
        ("--target", "grade", "--levels", "fail,pass,merit,distinction", "--groups", "school"),
        False,
        "Pairs and proportional odds tie with whole schools left out; linear scorers do.",
    ),
    Further(
        "ab_test",
        ab_test,
        ("--target", "converted"),
        False,
        "Known: pure noise: nothing is "
        "better than chance, nothing may be recommended, no gain claimed.",
    ),
    Further(
        "insurance",
        insurance,
        ("--target", "Schadenhoehe"),
        False,
        "Known: a very heavy tail hides the means, so ranks beat raw amounts; a gain of "
        "Kendall trees is one of ranks, and least squares on ranks does better still.",
        separator=";",
        decimal=",",
    ),
    Further(
        "survey_likert",
        survey_likert,
        (
            "--target",
            "would_recommend",
            "--levels",
            "strongly disagree,disagree,neutral,agree,strongly agree",
            "--weights",
            "design_weight",
        ),
        False,
        "With weights pairs and proportional odds tie within noise; "
        "hinge on points left out (weights are not whole).",
        suffix=".xlsx",
    ),
    Further(
        "chemistry",
        chemistry,
        ("--target", "log_s"),
        False,
        "Nearly linear: least squares "
        "is ahead of all trees; 420 rows decide little between trees.",
        separator="\t",
        suffix=".tsv",
    ),
    Further(
        "sports",
        sports,
        ("--target", "home_win", "--time", "date"),
        False,
        "On the latest 30 % pairs and points tie or are undecided, AUC about .7; no drift.",
    ),
    Further(
        "manufacturing",
        manufacturing,
        ("--target", "rejected"),
        False,
        "Known: next to no noise: either way all pairs are ranked but few; no gain is left.",
    ),
    Further(
        "tickets",
        tickets,
        ("--target", "priority", "--levels", "low,normal,high,urgent"),
        False,
        "Pairs and counterparts are equivalent; `opened` and `ticket` are not used.",
    ),
    Further(
        "energy",
        energy,
        ("--target", "load_mw", "--continuous", "--time", "timestamp", "--sheet", "hourly"),
        False,
        "The form of the score matters (the hour acts as a "
        "wave), pairs do not; no interval is known for one test set.",
        suffix=".xlsx",
    ),
    Further(
        "gene_panel",
        gene_panel,
        ("--target", "relapse"),
        False,
        "Known: pure noise, as many "
        "columns as rows: nothing is better than chance or recommended.",
    ),
    Further(
        "biopsy",
        biopsy,
        ("--target", "malignant"),
        True,
        "Must warn that whether `grade` "
        "and `conference_week` are filled gives the target away: they are known only later.",
    ),
    Further(
        "readmission",
        readmission,
        ("--target", "readmitted"),
        True,
        "Must warn that `patient_no` repeats with one outcome and name --groups patient_no; "
        "with it nothing is better than chance.",
    ),
    Further(
        "competition",
        competition,
        ("--target", "target"),
        True,
        "Must warn that -1 (the "
        "last 1,200 rows) is no level below 0 but a withheld target, to be left out.",
    ),
    Further(
        "used_cars",
        used_cars,
        ("--target", "price"),
        True,
        "Must warn that a price of 0 "
        "(439 rows, far from all others) is a missing price, not the cheapest car.",
    ),
    Further(
        "creatinine",
        creatinine,
        ("--target", "creatinine"),
        True,
        "Must warn that the target has two clusters a factor of some 88 apart, told by "
        "`clinic`: two units, not one scale.",
    ),
    Further(
        "passengers",
        passengers,
        ("--target", "survived"),
        True,
        "Must warn that `freq` "
        "counts people: a row is a cell, so it is a weight (--weights freq) and no feature.",
    ),
    Further(
        "transplant",
        transplant,
        ("--target", "days"),
        True,
        "Must warn that with `status` 0 "
        "the days are censored (followed up, not dead), and rank no survival.",
    ),
    Further(
        "retail",
        retail,
        ("--target", "units"),
        True,
        "Must warn that rows of product Total "
        "are sums of the rows above, to be removed; they rank on top without merit.",
    ),
    Further(
        "fraud",
        fraud,
        ("--target", "fraud"),
        True,
        "Must warn that rows are in order of "
        "time and that what ranks changes over `booked`, and name --time booked (then "
        "ranking is worse than chance).",
    ),
    Further(
        "case_control",
        case_control,
        ("--target", "diagnosis"),
        True,
        "Must warn that `freezer_box` (and the letters of `code`) give the class away by how "
        "samples were stored (--drop).",
    ),
    Further(
        "microloans",
        microloans,
        ("--target", "defaulted"),
        True,
        "Must warn that "
        "`postcode_risk` is the mean of the target within `postcode`, its own included.",
    ),
    Further(
        "no_show",
        no_show,
        ("--target", "no_show", "--positive", "yes"),
        True,
        "Must warn that yes, Yes, YES and y (no, No, NO and n) are one value each and name "
        "--merge; with --positive yes alone only practices A and D have positives.",
        separator=";",
    ),
]


def write(directory: str | Path) -> list[Path]:
    """Write all tables; the same cells each time (a workbook also holds the time of writing)."""
    folder = Path(directory)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for table in TABLES:
        frame = table.make(np.random.default_rng(zlib.crc32(table.name.encode())))
        path = folder / (table.name + table.suffix)
        if table.suffix == ".xlsx":
            with pd.ExcelWriter(path, engine="openpyxl") as book:
                sheet = "Sheet1"
                if "--sheet" in table.options:
                    sheet = table.options[table.options.index("--sheet") + 1]
                    note = pd.DataFrame({"notes": ["exported by hand", "see the next sheet"]})
                    note.to_excel(book, sheet_name="read me", index=False)
                frame.to_excel(book, sheet_name=sheet, index=False)
        else:
            frame.to_csv(path, sep=table.separator, decimal=table.decimal, index=False)
        paths.append(path)
    return paths
