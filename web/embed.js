// <highwater-embed scenario="durability/acks-1" t="5.2s"></highwater-embed>
//
// A picture, a link and a button; the simulator is loaded only when a reader asks
// for it, and only one runs per page. No WebAssembly and no request before that
// but the picture. Attributes:
//
//   scenario  the scenario's id            t      the moment to open at: 5.2s
//   state     a share link's fragment (v1...), in place of scenario and t
//   title     text for the link            ratio  width/height, 16/10 if absent
//   src       where Highwater is hosted; where this script came from if absent
(() => {
  "use strict";
  const home = new URL(".", document.currentScript.src).href;
  const css = `
    :host { display: block; font: 14px/1.4 system-ui, sans-serif; }
    .box { position: relative; aspect-ratio: 16 / 10; background: #0d1220; border: 1px solid #26324d; border-radius: 8px; overflow: hidden; }
    img, iframe { position: absolute; inset: 0; width: 100%; height: 100%; border: 0; object-fit: contain; }
    button { position: absolute; left: 50%; top: 50%; transform: translate(-50%, -50%); padding: 12px 22px; border: 0; border-radius: 24px;
      background: #7aa2ff; color: #0b1020; font: inherit; font-weight: 600; cursor: pointer; }
    button:focus-visible { outline: 3px solid #fff; }
    a { color: inherit; }
    p { margin: 4px 0 0; }`;
  let running = null;

  class HighwaterEmbed extends HTMLElement {
    connectedCallback() {
      if (!this.shadowRoot) {
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(css);
        this.attachShadow({ mode: "open" }).adoptedStyleSheets = [sheet];
      }
      this.rest();
    }

    disconnectedCallback() {
      if (running === this) running = null;
    }

    address(embedded) {
      const url = new URL("index.html", this.getAttribute("src") || home);
      const state = this.getAttribute("state");
      for (const [key, from] of [["s", "scenario"], ["t", "t"]]) {
        if (!state && this.hasAttribute(from)) url.searchParams.set(key, this.getAttribute(from));
      }
      if (embedded) url.searchParams.set("embed", "1");
      if (state) url.hash = state;
      return url.href;
    }

    // rest shows the picture, the button and the link.
    rest() {
      const box = document.createElement("div");
      box.className = "box";
      const ratio = /^(\d+(?:\.\d+)?)\/(\d+(?:\.\d+)?)$/.exec((this.getAttribute("ratio") || "").replace(/\s/g, ""));
      if (ratio) box.style.aspectRatio = ratio[1] + " / " + ratio[2];
      const title = this.getAttribute("title") || "Open this moment in Highwater";
      if (this.hasAttribute("scenario")) {
        const picture = document.createElement("img");
        picture.alt = title;
        picture.loading = "lazy";
        picture.src = new URL("s/" + encodeURIComponent(this.getAttribute("scenario").replaceAll("/", "-")) + ".svg", this.getAttribute("src") || home).href;
        picture.addEventListener("error", () => picture.remove());
        box.append(picture);
      }
      const play = document.createElement("button");
      play.type = "button";
      play.textContent = "▶ Run";
      play.setAttribute("aria-label", "Run the simulator here: " + title);
      play.addEventListener("click", () => this.run());
      box.append(play);
      const line = document.createElement("p");
      const link = document.createElement("a");
      link.href = this.address(false);
      link.textContent = title;
      line.append(link);
      this.shadowRoot.replaceChildren(box, line);
    }

    // run puts the simulator in place of the picture and stops any other.
    run() {
      if (running && running !== this) running.rest();
      running = this;
      const frame = document.createElement("iframe");
      frame.src = this.address(true);
      frame.title = this.getAttribute("title") || "Highwater";
      frame.allow = "fullscreen; clipboard-write";
      this.shadowRoot.querySelector(".box").replaceChildren(frame);
      frame.focus();
    }
  }

  if (!customElements.get("highwater-embed")) customElements.define("highwater-embed", HighwaterEmbed);
})();
