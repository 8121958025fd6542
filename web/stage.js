// Runs the stage's module in this frame. The page above has fetched and compiled
// it; this frame keeps nothing, so it may be reloaded at any moment.
(async () => {
  "use strict";
  const files = document.currentScript.dataset;
  try {
    // The faces that the page uses too, as bytes: regular, bold, mono.
    window.highwaterFonts = await Promise.all([files.regular, files.bold, files.mono].map(async (url) => {
      const response = await fetch(url);
      if (!response.ok) throw new Error(url + ": " + response.status);
      return new Uint8Array(await response.arrayBuffer());
    }));
    const module = await parent.highwaterLoader.stage;
    const go = new Go();
    await go.run(await WebAssembly.instantiate(module, go.importObject));
  } catch (e) {
    if (parent.highwaterLoader) parent.highwaterLoader.fail("the picture stopped: " + (e.message || e));
    else document.body.textContent = "This frame is a part of the Highwater page; open index.html.";
  }
})();
