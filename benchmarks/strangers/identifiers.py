"""The identifiers of 45 CFR 164.514(b)(2)(i), (A) to (R): under which headers they stand, and what they look like.

``rule`` says what may be left of one under Safe Harbor: nothing; the ``year``; the year of a ``birth`` that tells no
age over 89; an ``age`` up to 89; of a ``zip`` three digits. ``limited`` says that 164.514(e)(2) removes it too.
"""

from __future__ import annotations

import base64
import hashlib
import random
import uuid
from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.strangers.dates import PARTS, WHOLE
from benchmarks.strangers.people import ANCHOR, Person

Maker = Callable[[Person, random.Random], str]
CRYPTIC = "x1 x2 x07 v07 v12 q3 q17 f_9 c04 var00012 col5 Unnamed_3 fld_22 A B3 key_2 tmp misc data1 field_6".split()


@dataclass(frozen=True)
class Kind:
    """A kind of identifier: its letter, the headers it hides under, and how one of its values is written."""

    letter: str
    name: str
    headers: tuple[str, ...]
    write: Maker
    rule: str = "nothing"
    limited: bool = True


def digits(rng: random.Random, pattern: str) -> str:
    """``pattern`` with a digit for each ``#``, a letter for ``@``, a digit or letter for ``?``; the first is no 0."""
    draw = {"#": "0123456789", "@": "ABCDEFGHJKLMNPRSTUVWXYZ", "?": "0123456789ABCDEFGHJKMNPQRTUVWXY"}
    made = "".join(rng.choice(draw[c]) if c in draw else c for c in pattern)
    return made if not pattern.startswith("#") else rng.choice("123456789") + made[1:]


def luhn(body: str) -> str:
    """``body`` with its check digit."""
    total = sum(sum(divmod(int(d) * (2 - at % 2), 10)) for at, d in enumerate(reversed(body)))
    return body + str(-total % 10)


def ssn(rng: random.Random) -> str:
    area = rng.choice([a for a in range(101, 773) if a != 666])
    return f"{area}{rng.randint(1, 99):02d}{rng.randint(1, 9999):04d}"


def gtin(body: str) -> str:
    """``body`` of 13 digits with the check digit of a trade item."""
    return body + str(-sum(int(d) * (3 - at % 2 * 2) for at, d in enumerate(body)) % 10)


def vin(rng: random.Random) -> str:
    """Seventeen characters, the ninth of which checks the others."""
    letters = dict(zip("ABCDEFGHJKLMNPRSTUVWXYZ", (1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 7, 9, 2, 3, 4, 5, 6, 7, 8, 9),
                       strict=True))  # fmt: skip
    body = rng.choice(("1HG", "1FT", "4T1", "JN8")) + digits(rng, "@@###0?A######")
    weights = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)
    rest = sum(w * (int(c) if c.isdigit() else letters[c]) for w, c in zip(weights, body, strict=True)) % 11
    return body[:8] + ("X" if rest == 10 else str(rest)) + body[9:]


def geohash(latitude: float, longitude: float, length: int = 7) -> str:
    low, high = [-90.0, -180.0], [90.0, 180.0]
    bits = ""
    for at in range(5 * length):
        axis = (at + 1) % 2
        middle = (low[axis] + high[axis]) / 2
        above = (latitude, longitude)[axis] >= middle
        (low if above else high)[axis] = middle
        bits += str(int(above))
    return "".join("0123456789bcdefghjkmnpqrstuvwxyz"[int(bits[i : i + 5], 2)] for i in range(0, len(bits), 5))


def _spot(p: Person, r: random.Random) -> tuple[float, float]:
    return p.place.latitude + r.uniform(-0.04, 0.04), p.place.longitude + r.uniform(-0.04, 0.04)


def _pair(p: Person, r: random.Random) -> str:
    return "{:.5f}, {:.5f}".format(*_spot(p, r))


def _phone(r: random.Random) -> tuple[str, str, str]:
    return str(r.choice((517, 906, 614, 478, 928, 207, 978))), str(r.randint(220, 989)), digits(r, "####")


def _phones(pattern: str) -> Maker:
    def write(_: Person, r: random.Random) -> str:
        area, office, line = _phone(r)
        return pattern.format(a=area, o=office, l=line)

    return write


def _mail(p: Person, r: random.Random) -> str:
    return f"{p.first}.{p.last}{r.randint(1, 99)}@{r.choice(('gmail.com', 'example.org', 'mail.test'))}".lower()


def _pattern(pattern: str) -> Maker:
    return lambda _, r: digits(r, pattern)


def _hashed(algorithm: str, length: int | None = None) -> Maker:
    return lambda _, r: hashlib.new(algorithm, ssn(r).encode()).hexdigest()[:length]


def _grouped(text: str, *at: int, sep: str = "-") -> str:
    ends = (0, *at, len(text))
    return sep.join(text[a:b] for a, b in zip(ends, ends[1:], strict=False))


def _headers(text: str) -> tuple[str, ...]:
    return tuple(h.strip() for h in text.split(","))


NAME = _headers("pat_nm, patient, person, who, member, insured, client, Kunde, Patientenname, nom complet, paciente, nombre y "
                "apellidos, Versicherter, assistito, nominativo, subject, case, sex_partner, race_director, mother_info, mutter, "
                "conjoint, contacto, tutor, household_member_2, state_appointed_guardian, age_proxy_respondent")  # fmt: skip
FIRST = _headers("fnm, given_nm, prenom, Vorname, nombre, nome, voornaam, pref, called, N2, spouse_1st, child1")
LAST = _headers(
    "lnm, srnm, sname, nom, Nachname, apellido, apellidos, cognome, sobrenome, maiden, nee, fam, N1, zip_contact"
)
PLACE = _headers(
    "cty, cnty_res, comarca, Landkreis, comté, condado, contea, parish_nm, area_name, res_cnty, B2, county_state"
)
TOWN = _headers(
    "twn, residence, Wohnort, ville, ciudad, comune, Ort, lugar, municipality, place_res, city_of_birth, home"
)
ADDRESS = _headers(
    "addr_ln, street1, Straße, rue, calle, domicilio, indirizzo, lives_at, res, Anschrift, state_address, loc_a"
)
ZIP = _headers("plz, postal, cp, código postal, CAP, code_postal, z5, zipcode_home, zip9, PostCd, mailing_zip, geo5")
DAY = _headers("adm, admdt, dschg, svc_dt, dos, visit, Aufnahme, Entlassung, fecha_ingreso, ingreso, date_entree, sortie, dataricovero, "
               "seen_on, t0, died, dod, surg, onset, enrolled, ordered, last_contact, fu2, sex_assault_dt, state_report_dt, ts, "
               "termin, zip_moved")  # fmt: skip
PART = _headers("period, mes, mois, Monat, wk, Woche, semana, qtr, trimestre, adm_mo, day_of, jour, Wochentag, día, giorno, when, bucket, "
                "cycle, age_calc_month, Quartal")  # fmt: skip
BIRTH = _headers(
    "bd, brth, born, geb, Geburtstag, fecha_nac, nacimiento, naissance, nascita, dn, pt_bdt, mother_bd, b_day, age_basis"
)
AGE = _headers("alter, edad, âge, eta, idade, yrs, ptage, AGEY, years_old, a_adm, anios, jahre, age_dx, v_age")
PHONE = _headers("tel, telefono, Telefon, téléphone, cel, mobile, móvil, call_at, ph1, home_no, contact, Handy, cellulare, zip_contact_phone, "
                 "race_day_phone, nok_no")  # fmt: skip
FAX = _headers("fx, facs, télécopie, Faxnr, fax_no, telefax, send_to, back_office, fx_num, state_fax")
MAIL = _headers(
    "e_addr, correo, courriel, Mailadresse, posta, contacto_e, login, reach_at, electronic, notify, user_state, em"
)
SOCIAL = _headers(
    "soc, tax, n_fiscal, Steuernummer, nss, seguro, identity, sid, id9, national, nif, last_worked_id, ssn_state, sex_no"
)
RECORD = _headers("rec, chart, hist_clin, Fallnummer, Aktenzeichen, dossier, historia, cartella, enc, episode_no, pid, acct_visit, unit_no, "
                  "specimen, casenum, state_mrn, race_bib")  # fmt: skip
PLAN = _headers(
    "bene, hicn, mbi, subscriber_no, póliza, Versichertennr, assuré, tessera, group_mem, payer_id, medicaid_no, plan_num, cov"
)
ACCOUNT = _headers(
    "acct, konto, cuenta, compte, conto, guar_acct, bill_to, iban, pay_ref, card, hsa, carte, ledger, state_acct"
)
LICENSE = _headers(
    "lic, dl, permiso, Führerschein, permis, patente, cert, prov, npi_ref, dea, state_id, state_license, credential"
)
VEHICLE = _headers(
    "plate, tag, matricula, Kennzeichen, immatriculation, targa, vin_no, car, auto, state_plate, veh, amb_unit"
)
DEVICE = _headers(
    "dev, implant, udi_di, gerät, dispositivo, appareil, serial, imei_no, pump_sn, mac_addr, hw, pacemaker, sn"
)
LINK = _headers("link, portal, web, página, Seite, lien, sito, social, handle, profile, media, sex_ed_page, url_state")
NET = _headers(
    "ip, host, client_addr, login_from, src, dirección_red, Rechner, adresse_machine, terminal, node, state_of_session"
)
BODY = _headers("fp, finger, minutiae, voice, huella, Fingerabdruck, empreinte, iris, impronta, template, voz, gait")
PHOTO = _headers("img, foto, Bild, photo, cara, visage, face, pic, portrait, ritratto, attach, snapshot, sex_photo")
OTHER = _headers(
    "uid, guid, study_no, código, Kennung, identifiant, codice, hash, token, ref, link_key, pseudo, trial_no, state_code_x"
)

_K = Kind
NAMES = (
    _K("A", "Last, First", NAME, lambda p, r: f"{p.last}, {p.first}"),
    _K("A", "First Last", NAME, lambda p, r: f"{p.first} {p.last}"),
    _K("A", "LAST FIRST M", NAME, lambda p, r: f"{p.last} {p.first} {p.middle}".upper()),
    _K("A", "first last, small", NAME, lambda p, r: f"{p.first} {p.last}".lower()),
    _K("A", "LAST^FIRST", NAME, lambda p, r: f"{p.last}^{p.first}^{p.middle}".upper()),
    _K("A", "F. Last", NAME, lambda p, r: f"{p.first[0]}. {p.last}"),
    _K("A", "Mr. or Ms. Last", NAME, lambda p, r: f"{'Ms.' if p.sex == 'F' else 'Mr.'} {p.last}"),
    _K("A", "first name", FIRST, lambda p, r: p.first),
    _K("A", "FIRST NAME", FIRST, lambda p, r: p.first.upper()),
    _K("A", "last name", LAST, lambda p, r: p.last),
    _K("A", "last name, small", LAST, lambda p, r: p.last.lower()),
    _K("A", "initials", _headers("init, ini, Kürzel, inic, monogram, who2, sigle"), lambda p, r: p.first[0] + p.middle + p.last[0]),
    _K("A", "initials with dots", _headers("init, Kürzel, iniciales, initiales"), lambda p, r: f"{p.first[0]}.{p.last[0]}."),
    _K("A", "employer", _headers("work, firm, Arbeitgeber, empresa, employeur, occup_place, job_at"),
       lambda p, r: f"{p.last} {r.choice(('& Sons', 'Trucking', 'Dairy', 'Law Office', 'Hardware'))}"),
    _K("A", "a name in free text", _headers("note, remark, obs, Bemerkung, commentaire, triage, sexual_history, mental_state, race_other_specify"),
       lambda p, r: f"{r.choice(('Spoke with', 'Daughter', 'Pt brought in by', 'Per'))} {p.first} {p.last}, "
                    f"{r.choice(('will call back', 'denies pain', 'lives alone', 'wants a second opinion'))}."),
)  # fmt: skip
PLACES = (
    _K("B", "county", PLACE, lambda p, r: p.place.county, limited=False),
    _K("B", "County, in capitals", PLACE, lambda p, r: f"{p.place.county} COUNTY".upper(), limited=False),
    _K("B", "county, five digits", PLACE, lambda p, r: p.place.fips, limited=False),
    _K("B", "county, three digits", PLACE, lambda p, r: p.place.fips[2:], limited=False),
    _K("B", "town", TOWN, lambda p, r: p.place.town, limited=False),
    _K("B", "Town, ST", (*TOWN, "State of residence and city"), lambda p, r: f"{p.place.town}, {p.place.state}", limited=False),
    _K("B", "ST and ZIP code", ("st_zip", "state", "Staat", "estado"), lambda p, r: f"{p.place.state} {p.zip_code}", limited=False),
    _K("B", "street", ADDRESS, lambda p, r: p.street),
    _K("B", "address in a line", ADDRESS, lambda p, r: f"{p.street}, {p.place.town}, {p.place.state} {p.zip_code}"),
    _K("B", "street under city", ("city", "town", "ciudad", "Stadt"), lambda p, r: f"{p.street}, {p.place.town}"),
    _K("B", "PO box", ADDRESS, lambda p, r: f"PO Box {r.randint(10, 9999)}"),
    _K("B", "ZIP code", ZIP, lambda p, r: p.zip_code, "zip", limited=False),
    _K("B", "ZIP code, lost zero", ZIP, lambda p, r: str(int(p.zip_code)), "zip", limited=False),
    _K("B", "ZIP code as a number with .0", ZIP, lambda p, r: f"{int(p.zip_code)}.0", "zip", limited=False),
    _K("B", "ZIP+4", ZIP, lambda p, r: f"{p.zip_code}-{r.randint(1, 9999):04d}", "zip", limited=False),
    _K("B", "three digits of any ZIP code", ("z3", "zip3", "zip_3", "plz3"), lambda p, r: p.zip_code[:3], "zip", limited=False),
    _K("B", "tract", ("trct", "geoid", "tract10", "GEOID11", "ct"), lambda p, r: p.place.fips + digits(r, "######")),
    _K("B", "block group", ("bg", "blk", "Block", "geo12"), lambda p, r: p.place.fips + digits(r, "######") + r.choice("1234")),
    _K("B", "precinct", ("pct", "ward_no", "Bezirk", "precinto", "sector"), lambda p, r: f"{p.place.town[:3].upper()}-{r.randint(1, 60):02d}"),
    _K("B", "latitude", ("lat", "y", "Breite", "latitud", "coord_n", "yy_wgs"), lambda p, r: f"{_spot(p, r)[0]:.5f}"),
    _K("B", "longitude", ("lon", "x", "Länge", "longitud", "lng", "xx_wgs"), lambda p, r: f"{_spot(p, r)[1]:.6f}"),
    _K("B", "a pair of coordinates", ("geo", "loc", "gps", "pos", "ubicación"), _pair),
    _K("B", "geohash", ("gh", "loc_code", "cell7", "area_code"), lambda p, r: geohash(*_spot(p, r))),
    _K("B", "coordinates in WKT", ("geom", "shape", "pt_geom"), lambda p, r: "POINT ({1:.5f} {0:.5f})".format(*_spot(p, r))),
)  # fmt: skip


def _dates() -> tuple[Kind, ...]:
    kinds = [_K("C", name, DAY, lambda p, r, w=w: w(p.admitted, r), "year", False) for name, w in WHOLE.items()]  # type: ignore[misc]
    kinds += [_K("C", name, PART, lambda p, r, w=w: w(p.admitted, r), "year", False) for name, w in PARTS.items()]  # type: ignore[misc]
    born = ("ISO", "US", "US, year of two digits", "SAS DATE9", "SAS number", "Excel number", "YYYYMMDD", "day first, dots", "MMDDYYYY",
            "Oracle", "German words")  # fmt: skip
    return (
        *kinds,
        *(_K("C", f"birth, {n}", BIRTH, lambda p, r, w=WHOLE[n]: w(p.born, r), "birth", False) for n in born),
    )  # type: ignore[misc]


AGES = (
    _K("C", "age", AGE, lambda p, r: str(p.age(ANCHOR)), "age", False),
    _K("C", "age with .0", AGE, lambda p, r: f"{p.age(ANCHOR)}.0", "age", False),
    _K("C", "age with a unit", AGE, lambda p, r: f"{p.age(ANCHOR)}{r.choice(('y', ' y', 'yo'))}", "age", False),
    _K("C", "age, Spanish", ("edad", "edad_paciente"), lambda p, r: f"{p.age(ANCHOR)} años", "age", False),
    _K("C", "age, German", ("alter", "Patientenalter"), lambda p, r: f"{p.age(ANCHOR)} Jahre", "age", False),
    _K("C", "age in months", ("age_mo", "mos", "edad_meses", "alter_monate", "agem"),
       lambda p, r: str(p.age(ANCHOR) * 12 + r.randint(0, 11)), "age months", False),
    _K("C", "age in days", ("age_d", "edad_dias", "age_at_visit_days", "dage"),
       lambda p, r: str((ANCHOR - p.born).days), "age days", False),
    _K("C", "year of birth", ("byr", "yob", "annee_naiss", "Jahrgang", "año_nac", "anno", "v_yr", "year0"),
       lambda p, r: str(p.born.year), "birth", False),
    _K("C", "year of birth, two digits", ("yob2", "birth_yr", "byy"), lambda p, r: f"{p.born.year % 100:02d}", "birth two", False),
    _K("C", "cohort of birth", ("coh", "cohort5", "Generation", "cohorte"),
       lambda p, r: f"{p.born.year // 5 * 5}-{p.born.year // 5 * 5 + 4}", "birth", False),
)  # fmt: skip
CONTACTS = (
    _K("D", "(614) 555-0142", PHONE, _phones("({a}) {o}-{l}")),
    _K("D", "614-555-0142", PHONE, _phones("{a}-{o}-{l}")),
    _K("D", "6145550142", PHONE, _phones("{a}{o}{l}")),
    _K("D", "+1 614 555 0142", PHONE, _phones("+1 {a} {o} {l}")),
    _K("D", "614.555.0142 x3", PHONE, _phones("{a}.{o}.{l} x3")),
    _K("D", "6145550142.0", PHONE, _phones("{a}{o}{l}.0")),
    _K("D", "seven digits", PHONE, _phones("{o}-{l}")),
    _K("D", "+49 30 1234567", PHONE, _pattern("+49 30 #######")),
    _K("E", "(614) 555-0142", FAX, _phones("({a}) {o}-{l}")),
    _K("E", "16145550142", FAX, _phones("1{a}{o}{l}")),
    _K("E", "614 555 0142", FAX, _phones("{a} {o} {l}")),
    _K("F", "e-mail", MAIL, _mail),
    _K("F", "e-mail in a part", MAIL, lambda p, r: _mail(p, r) if p.serial % 5 else "declined"),
    _K("F", "name and e-mail", MAIL, lambda p, r: f"{p.first} {p.last} <{_mail(p, r)}>"),
    _K("F", "phone or e-mail", MAIL, lambda p, r: _mail(p, r) if p.serial % 2 else _phones("{a}-{o}-{l}")(p, r)),
)
NUMBERS = (
    _K("G", "SSN", SOCIAL, lambda p, r: _grouped(ssn(r), 3, 5)),
    _K("G", "SSN plain", (*SOCIAL, *CRYPTIC[:6]), lambda p, r: ssn(r)),
    _K("G", "SSN with blanks", SOCIAL, lambda p, r: _grouped(ssn(r), 3, 5, sep=" ")),
    _K("G", "SSN as 123456789.0", (*SOCIAL, *CRYPTIC[:6]), lambda p, r: f"{ssn(r)}.0"),
    _K("G", "ITIN", SOCIAL, lambda p, r: f"9{digits(r, '##')}-7{r.randint(0, 9)}-{digits(r, '####')}"),
    _K("G", "last four of an SSN", ("last4", "ss4", "soc_l4"), lambda p, r: ssn(r)[5:]),
    _K("G", "SHA-256 of an SSN", ("h", "token", "link_hash", "key"), _hashed("sha256")),
    _K("G", "MD5 of an SSN", ("h", "md", "anon", "key"), _hashed("md5")),
    _K("G", "16 digits of a SHA-1 of an SSN", ("h", "link_key"), _hashed("sha1", 16)),
    _K("H", "six digits", RECORD, lambda p, r: str(p.serial)),
    _K("H", "six digits with .0", RECORD, lambda p, r: f"{p.serial}.0"),
    _K("H", "MRN and digits", RECORD, lambda p, r: f"MRN{p.serial:08d}"),
    _K("H", "with zeros", RECORD, lambda p, r: f"{p.serial:010d}"),
    _K("H", "year and number", RECORD, lambda p, r: f"{p.admitted.year}-{p.serial}"),
    _K("H", "letters and digits", RECORD, _pattern("@@#####")),
    _K("I", "MBI", PLAN, _pattern("#@?#@?#@@##")),
    _K("I", "MBI with hyphens", PLAN, lambda p, r: _grouped(digits(r, "#@?#@?#@@##"), 4, 7)),
    _K("I", "member number", PLAN, _pattern("@@@########")),
    _K("I", "digits", PLAN, _pattern("##########")),
    _K("I", "SSN and letter", PLAN, lambda p, r: ssn(r) + r.choice("ABCD")),
    _K("J", "account", ACCOUNT, _pattern("########")),
    _K("J", "card", ACCOUNT, lambda p, r: luhn("4" + digits(r, "0#############"))),
    _K(
        "J",
        "card with blanks",
        ACCOUNT,
        lambda p, r: _grouped(luhn("5" + digits(r, "1#############")), 4, 8, 12, sep=" "),
    ),
    _K("J", "IBAN", ACCOUNT, _pattern("DE## #### #### #### #### ##")),
    _K("J", "guarantor account", ACCOUNT, _pattern("G-######")),
    _K("K", "driver's license", LICENSE, _pattern("@###########")),
    _K("K", "two letters and six digits", LICENSE, _pattern("@@######")),
    _K("K", "NPI", LICENSE, lambda p, r: luhn("80840" + "1" + digits(r, "########"))[5:]),
    _K("K", "DEA number", LICENSE, _pattern("B@#######")),
    _K("L", "VIN", VEHICLE, lambda p, r: vin(r)),
    _K("L", "plate", VEHICLE, _pattern("@@@ ####")),
    _K("L", "plate of two parts", VEHICLE, _pattern("#@@@###")),
    _K("M", "IMEI", DEVICE, lambda p, r: luhn("35" + digits(r, "############"))),
    _K("M", "MAC", DEVICE, lambda p, r: ":".join(f"{r.randint(0, 255):02x}" for _ in range(6))),
    _K("M", "MAC without colons", DEVICE, lambda p, r: "".join(f"{r.randint(0, 255):02X}" for _ in range(6))),
    _K("M", "UDI", DEVICE, lambda p, r: f"(01){gtin('00812345' + digits(r, '#####'))}(21){digits(r, '########')}"),
    _K("M", "serial number", DEVICE, _pattern("SN-@@####-##")),
)
REST = (
    _K("N", "URL", LINK, lambda p, r: f"https://portal.example.org/u/{p.first}-{p.last}-{p.serial}".lower()),
    _K("N", "www", LINK, lambda p, r: f"www.{p.last}-family{p.serial % 100}.net".lower()),
    _K("N", "handle", LINK, lambda p, r: f"@{p.first}_{p.last}{r.randint(1, 99)}".lower()),
    _K("N", "host and path", LINK, lambda p, r: f"facebook.com/{p.first}.{p.last}.{r.randint(1, 99)}".lower()),
    _K("O", "IPv4", NET, lambda p, r: ".".join(str(r.randint(1, 254)) for _ in range(4))),
    _K("O", "IPv6", NET, lambda p, r: "2001:db8:" + ":".join(f"{r.randint(1, 65535):x}" for _ in range(6))),
    _K("O", "IPv6, short", NET, lambda p, r: f"fe80::{r.randint(1, 65535):x}:{r.randint(1, 65535):x}"),
    _K("O", "IPv4 with a port", NET, lambda p, r: f"10.{r.randint(0, 255)}.{r.randint(0, 255)}.{r.randint(1, 254)}:{r.randint(1024, 65535)}"),
    _K("P", "template", BODY, lambda p, r: base64.b64encode(r.randbytes(36)).decode()),
    _K("P", "recording", BODY, lambda p, r: f"voice/{p.serial}_{r.randint(1, 3)}.wav"),
    _K("P", "finger code", BODY, lambda p, r: r.randbytes(16).hex()),
    _K("Q", "file", PHOTO, lambda p, r: f"IMG_{p.serial}.jpg"),
    _K("Q", "path", PHOTO, lambda p, r: f"\\\\pacs\\faces\\{p.last}_{p.serial % 1000}.png"),
    _K("Q", "picture in base64", PHOTO, lambda p, r: "data:image/png;base64,iVBORw0KGgo" + base64.b64encode(r.randbytes(24)).decode()),
    _K("R", "UUID", OTHER, lambda p, r: str(uuid.UUID(int=r.getrandbits(128), version=4)), limited=False),
    _K("R", "initials and birth", OTHER, lambda p, r: f"{p.first[0]}{p.last[0]}{p.born:%m%d%Y}", limited=False),
    _K("R", "passport", OTHER, _pattern("@########"), limited=False),
    _K("R", "accession number", OTHER, _pattern("A##-#####"), limited=False),
    _K("R", "study number", OTHER, lambda p, r: f"S{p.serial % 100:02d}-{p.serial // 100}", limited=False),
    _K("R", "hash of a record number", OTHER, lambda p, r: hashlib.sha256(str(p.serial).encode()).hexdigest()[:20], limited=False),
)  # fmt: skip
KINDS: tuple[Kind, ...] = (*NAMES, *PLACES, *_dates(), *AGES, *CONTACTS, *NUMBERS, *REST)
LETTERS = "ABCDEFGHIJKLMNOPQR"
