"""The headers under which identifiers stand: English, Spanish, French, German, Italian; misleading, or empty."""

from __future__ import annotations

_TABLE = """
NAME: pat_nm, patient, person, who, member, insured, client, Kunde, Patientenname, nom complet, paciente,
    nombre y apellidos, Versicherter, assistito, nominativo, subject, case, sex_partner, race_director,
    mother_info, mutter, conjoint, contacto, tutor, household_member_2, state_appointed_guardian,
    age_proxy_respondent
FIRST: fnm, given_nm, prenom, Vorname, nombre, nome, voornaam, pref, called, N2, spouse_1st, child1
LAST: lnm, srnm, sname, nom, Nachname, apellido, apellidos, cognome, sobrenome, maiden, nee, fam, N1, zip_contact
PLACE: cty, cnty_res, comarca, Landkreis, comté, condado, contea, parish_nm, area_name, res_cnty, B2, county_state
TOWN: twn, residence, Wohnort, ville, ciudad, comune, Ort, lugar, municipality, place_res, city_of_birth, home
ADDRESS: addr_ln, street1, Straße, rue, calle, domicilio, indirizzo, lives_at, res, Anschrift, state_address, loc_a
ZIP: plz, postal, cp, código postal, CAP, code_postal, z5, zipcode_home, zip9, PostCd, mailing_zip, geo5
DAY: adm, admdt, dschg, svc_dt, dos, visit, Aufnahme, Entlassung, fecha_ingreso, ingreso, date_entree, sortie,
    dataricovero, seen_on, t0, died, dod, surg, onset, enrolled, ordered, last_contact, fu2, sex_assault_dt,
    state_report_dt, ts, termin, zip_moved
PART: period, mes, mois, Monat, wk, Woche, semana, qtr, trimestre, adm_mo, day_of, jour, Wochentag, día, giorno,
    when, bucket, cycle, age_calc_month, Quartal
BIRTH: bd, brth, born, geb, Geburtstag, fecha_nac, nacimiento, naissance, nascita, dn, pt_bdt, mother_bd, b_day,
    age_basis
AGE: alter, edad, âge, eta, idade, yrs, ptage, AGEY, years_old, a_adm, anios, jahre, age_dx, v_age
PHONE: tel, telefono, Telefon, téléphone, cel, mobile, móvil, call_at, ph1, home_no, contact, Handy, cellulare,
    zip_contact_phone, race_day_phone, nok_no
FAX: fx, facs, télécopie, Faxnr, fax_no, telefax, send_to, back_office, fx_num, state_fax
MAIL: e_addr, correo, courriel, Mailadresse, posta, contacto_e, login, reach_at, electronic, notify, user_state, em
SOCIAL: soc, tax, n_fiscal, Steuernummer, nss, seguro, identity, sid, id9, national, nif, last_worked_id, ssn_state,
    sex_no
RECORD: rec, chart, hist_clin, Fallnummer, Aktenzeichen, dossier, historia, cartella, enc, episode_no, pid, acct_visit,
    unit_no, specimen, casenum, state_mrn, race_bib
PLAN: bene, hicn, mbi, subscriber_no, póliza, Versichertennr, assuré, tessera, group_mem, payer_id, medicaid_no,
    plan_num, cov
ACCOUNT: acct, konto, cuenta, compte, conto, guar_acct, bill_to, iban, pay_ref, card, hsa, carte, ledger, state_acct
LICENSE: lic, dl, permiso, Führerschein, permis, patente, cert, prov, npi_ref, dea, state_id, state_license, credential
VEHICLE: plate, tag, matricula, Kennzeichen, immatriculation, targa, vin_no, car, auto, state_plate, veh, amb_unit
DEVICE: dev, implant, udi_di, gerät, dispositivo, appareil, serial, imei_no, pump_sn, mac_addr, hw, pacemaker, sn
LINK: link, portal, web, página, Seite, lien, sito, social, handle, profile, media, sex_ed_page, url_state
NET: ip, host, client_addr, login_from, src, dirección_red, Rechner, adresse_machine, terminal, node,
    state_of_session
BODY: fp, finger, minutiae, voice, huella, Fingerabdruck, empreinte, iris, impronta, template, voz, gait
PHOTO: img, foto, Bild, photo, cara, visage, face, pic, portrait, ritratto, attach, snapshot, sex_photo
OTHER: uid, guid, study_no, código, Kennung, identifiant, codice, hash, token, ref, link_key, pseudo, trial_no,
    state_code_x
CRYPTIC: x1, x2, x07, v07, v12, q3, q17, f_9, c04, var00012, col5, Unnamed_3, fld_22, A, B3, key_2, tmp, misc, data1,
    field_6
"""


def _read(table: str) -> dict[str, tuple[str, ...]]:
    """A line per kind, continued on lines that are indented."""
    lines = table.strip().replace("\n    ", " ").splitlines()
    return {name: tuple(h.strip() for h in rest.split(",")) for name, rest in (line.split(": ", 1) for line in lines)}


HEADERS = _read(_TABLE)
