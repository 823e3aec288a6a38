"""No control character reaches a page or a terminal."""

import sys
import unicodedata

from policy_sim.render.plain import plain


def test_every_control_character_is_replaced_and_a_line_feed_stays():
    controls = [chr(c) for c in range(sys.maxunicode + 1) if unicodedata.category(chr(c)) in ("Cc", "Cs")]
    assert {plain(sign) for sign in controls if sign != "\n"} == {"\ufffd"}
    assert plain("a\nb") == "a\nb"


def test_letters_of_every_language_stay():
    text = "Doña Ana − Łódź 東京 🙂"
    assert plain(text) == text
