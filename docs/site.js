// Boxes that scroll are reached by the Tab key, so that the arrow keys scroll them.
addEventListener("load", () => {
  for (const box of document.querySelectorAll("pre > code, .md-typeset__scrollwrap")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  }
});
