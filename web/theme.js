// Runs before the first paint: takes ?embed=1 and ?theme=dark|light from the
// address and the theme that the reader chose before, and puts them on <html>.
// Without either, the style sheet follows prefers-color-scheme.
(() => {
  "use strict";
  const root = document.documentElement;
  const query = new URLSearchParams(location.search);
  if (query.get("embed") === "1") root.setAttribute("data-embed", "");
  // The poster and the words in the page are the first scenario's.
  const other = query.get("s");
  if ((other && other !== root.dataset.scenario) || location.hash.length > 1) root.setAttribute("data-other", "");
  let theme = query.get("theme");
  if (theme !== "dark" && theme !== "light") {
    try {
      theme = localStorage.getItem("highwater-theme");
    } catch (e) {
      theme = null; // storage is closed to us in some frames; the default is fine
    }
  }
  if (theme === "dark" || theme === "light") root.setAttribute("data-theme", theme);
})();
