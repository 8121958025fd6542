// Brings both WebAssembly modules and says how far it is, in bytes that have
// arrived of bytes that there are (the build writes the sizes into the page).
//
//   app.wasm    runs in this page: engine, model, panels
//   stage.wasm  is compiled here and runs in the iframe; a stage that has to be
//               reloaded (new pixel ratio, lost context) takes the same module
//
// <html data-state> goes loading -> running (the app's main has begun) -> live
// (the app said that a frame has been painted) or failed. What others may use:
//
//   highwaterLoader.stage        promise of the stage's WebAssembly.Module
//   highwaterLoader.live()       a frame is on the stage: take the poster away
//   highwaterLoader.fail(text)   show text in place of the progress
(() => {
  "use strict";
  const given = document.currentScript.dataset;
  const root = document.documentElement;
  const box = document.getElementById("loading");
  const parts = [
    { name: "app", url: given.app, total: +given.appBytes, done: 0 },
    { name: "stage", url: given.stage, total: +given.stageBytes, done: 0 },
  ];

  function show() {
    const done = parts.reduce((n, p) => n + p.done, 0);
    const total = parts.reduce((n, p) => n + p.total, 0);
    const percent = total ? Math.min(100, Math.round((100 * done) / total)) : 0;
    box.setAttribute("aria-valuenow", percent);
    box.querySelector(".bar").style.width = percent + "%";
    const waiting = parts.filter((p) => p.done < p.total).map((p) => p.name);
    box.querySelector(".what").textContent = waiting.length
      ? "loading " + waiting.join(" and ") + ": " + (done / 1e6).toFixed(1) + " of " + (total / 1e6).toFixed(1) + " MB"
      : "starting";
  }

  function fail(text) {
    root.dataset.state = "failed";
    box.querySelector(".what").textContent = text;
    box.setAttribute("role", "alert");
  }

  // counted is the response again, its bytes counted as they pass.
  async function counted(part) {
    const response = await fetch(part.url);
    if (!response.ok) throw new Error(part.url + ": " + response.status);
    const reader = response.body.getReader();
    const stream = new ReadableStream({
      async pull(control) {
        const { done, value } = await reader.read();
        if (done) {
          control.close();
          return;
        }
        part.done += value.byteLength;
        show();
        control.enqueue(value);
      },
    });
    return new Response(stream, { headers: { "Content-Type": "application/wasm" } });
  }

  // why says what did not work, and what the reader can do about it.
  function why(part, e) {
    const text = String(e.message || e);
    if (part.done >= part.total) return text;
    return "The " + part.name + " could not be loaded (" + text + "). Look at the connection, then reload the page.";
  }

  async function start() {
    const go = new Go();
    const { instance } = await WebAssembly.instantiateStreaming(counted(parts[0]), go.importObject);
    if (root.dataset.state === "loading") root.dataset.state = "running";
    await go.run(instance);
    throw new Error("the simulator ended; reload the page to start it again");
  }

  // vugu evaluates its helper script when it starts. vugu.js has run that
  // script already, and the page's policy allows no eval.
  window.eval = () => undefined;

  // vugu sets style as an attribute, which the policy forbids in that way only:
  // the same text is welcome through the object model.
  const setAttribute = Element.prototype.setAttribute;
  Element.prototype.setAttribute = function (name, value) {
    if (name === "style") this.style.cssText = value;
    else setAttribute.call(this, name, value);
  };

  show();
  const stage = counted(parts[1]).then((response) => WebAssembly.compileStreaming(response));
  window.highwaterLoader = {
    stage: stage,
    fail: fail,
    live() {
      if (root.dataset.state === "failed" || root.dataset.state === "live") return;
      root.dataset.state = "live";
      performance.mark("highwater-live");
    },
  };
  const frame = document.getElementById("stage");
  frame.src = frame.dataset.src;
  start().catch((e) => fail(why(parts[0], e)));
  stage.catch((e) => fail(why(parts[1], e)));
})();
