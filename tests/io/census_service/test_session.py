"""A session that waits within bounds and never reveals the key."""

import logging
import time
from types import SimpleNamespace

import pytest
from census_service import KEY

from policy_sim.io.census_service.session import Patience, TooSlow, _within, hide_in_logs, mask, open_session


def test_every_form_of_a_key_is_masked():
    text = mask(f"{KEY} 5ecre7-c0ffee%2F0123456789abcdef%2Bkey", KEY)
    assert text == "*** ***"
    assert mask("nothing here", KEY) == "nothing here"
    assert mask("an empty key hides nothing", "") == "an empty key hides nothing"


def test_logs_show_no_key_and_are_masked_once(caplog):
    for _ in range(3):
        hide_in_logs(KEY)
    logger = logging.getLogger("urllib3.connectionpool")
    assert sum(getattr(each, "key", None) == KEY for each in logger.filters) == 1
    with caplog.at_level(logging.DEBUG):
        logger.debug("GET %s?key=%s", "https://api.census.gov", KEY)
    assert KEY not in caplog.text
    assert "***" in caplog.text


def test_work_gives_its_answer_or_its_failure():
    assert _within(5, lambda: "answer") == "answer"

    def fails():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        _within(5, fails)


def test_an_answer_without_end_is_given_up():
    import threading

    never = threading.Event()
    begun = time.monotonic()
    with pytest.raises(TooSlow):
        _within(0.05, never.wait)
    never.set()
    assert time.monotonic() > begun


FOLLOWED = {"/x": True, "http://h/x": True, "https://h/x": False, "http://elsewhere/x": False, "//k/x": False}


@pytest.mark.parametrize(("target", "follows"), FOLLOWED.items())
def test_a_redirect_is_followed_on_the_same_host_only(target, follows):
    session = open_session(Patience())
    answer = SimpleNamespace(
        url="http://h/data", is_redirect=True, headers={"location": target}, close=lambda: None, status_code=302
    )
    if follows:
        assert session.get_redirect_target(answer) == target
    else:
        with pytest.raises(Exception, match=r"elsewhere|h|k"):
            session.get_redirect_target(answer)
