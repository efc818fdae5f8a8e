"""Plain ES modules as one script, for a page that has to work from a file: browsers load no module from there.

No bundler of others: the modules import each other by name only, each name stands once, and so their text in the right
order, without the words `import` and `export`, is the script.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from dumbbell.errors import DumbbellError

_IMPORT: Final = re.compile(r'^import \{([^}]*)\} from "(\.[\w./]*)";\n', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export (?=(?:async )?(?:function|const|class|let)\b)", re.MULTILINE)
_NAME: Final = re.compile(r"^(?:async )?(?:function\*?|const|class|let) (\w+|\[[^\]]*\]|\{[^}]*\})", re.MULTILINE)
_WORD: Final = re.compile(r"\w+")


def bundled(entry: Path) -> str:
    """A module with all that it imports, in one function that is called at once.

    Raises:
        DumbbellError: two modules have the same name for something, or one imports in another form.
    """
    texts: dict[Path, str] = {}
    _collect(entry.resolve(), texts, ())
    owners: dict[str, str] = {}
    for module, text in texts.items():
        for declaration in _NAME.findall(text):
            for name in _WORD.findall(declaration):
                if name in owners:
                    raise DumbbellError(f"{owners[name]} and {module.name} both have {name}")
                owners[name] = module.name
    return '"use strict";\n(() => {\n' + "\n".join(texts.values()) + "})();\n"


def _collect(module: Path, texts: dict[Path, str], above: tuple[Path, ...]) -> None:
    if module in texts:
        return
    if module in above:
        way = " and ".join(each.name for each in above[above.index(module) + 1 :])
        raise DumbbellError(f"{module.name} imports itself, by {way}")
    text = module.read_text(encoding="utf-8")
    for names, other in _IMPORT.findall(text):
        if " as " in names:
            raise DumbbellError(f"{module.name}: import names as they are")
        _collect((module.parent / other).resolve(), texts, (*above, module))
    stripped = _EXPORT.sub("", _IMPORT.sub("", text))
    if re.search(r"^(import|export)\b", stripped, re.MULTILINE):
        raise DumbbellError(f"{module.name}: import {{names}} from a file beside it, and export declarations")
    texts[module] = stripped
