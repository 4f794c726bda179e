// Elements without a framework: a function to make them, small controls, icons.

type Child = Node | string | null | undefined;
type Properties = Record<string, string | number | boolean | ((event: never) => void) | undefined>;

/** Makes an element: `on…` properties are listeners, others attributes; children in order. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value as unknown as EventListener);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child): child is Node | string => child !== null && child !== undefined));
  return element;
}

const paths = {
  undo: "M9 7H4V2 M4.5 7A8 8 0 1 1 4 14",
  redo: "M15 7h5V2 M19.5 7A8 8 0 1 0 20 14",
  sun: "M12 7.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9 M12 1.5v2 M12 20.5v2 M1.5 12h2 M20.5 12h2 M4.6 4.6 6 6 M18 18l1.4 1.4 M19.4 4.6 18 6 M6 18l-1.4 1.4",
  play: "M7 4.5v15l12-7.5z",
  pause: "M8 5v14 M16 5v14",
  first: "M6 5v14 M19 5v14L9 12z",
  last: "M18 5v14 M5 5v14l10-7z",
  back: "M15 5 8 12l7 7",
  forth: "M9 5l7 7-7 7",
  loop: "M17 3l3 3-3 3 M20 6H8a4 4 0 0 0-4 4v1 M7 21l-3-3 3-3 M4 18h12a4 4 0 0 0 4-4v-1",
  frame: "M4 9V4h5 M15 4h5v5 M20 15v5h-5 M9 20H4v-5",
  follow: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8 M12 2v3 M12 19v3 M2 12h3 M19 12h3",
  ghost: "M5 20V11a7 7 0 0 1 14 0v9l-2.3-2-2.3 2-2.4-2-2.4 2-2.3-2z M10 10v1.5 M14 10v1.5",
  path: "M4 19c5 0 3-7 8-7s3-7 8-7",
  feet: "M8 3c2 0 3 2.500 3 5s-1 4-2.500 4S6 10.500 5.700 8 6 3 8 3 M6.500 14.500h3.700c0 2-.6 3-1.800 3s-1.900-1-1.900-3 M16 7c2 0 2.700 2.500 2.300 5s-1.200 4-2.700 4-2.600-1.500-2.600-4 1-5 3-5 M13.700 18.500h3.600c0 2-.7 3-1.800 3s-1.800-1-1.800-3",
  onion: "M8 6a6 6 0 0 0 0 12 M13 6a6 6 0 0 0 0 12 M18 6a6 6 0 0 0 0 12",
  close: "M6 6l12 12 M18 6 6 18",
  mannequin: "M12 3a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5 M12 8v7 M6 11h12 M12 15l-3.500 6 M12 15l3.500 6",
  plus: "M12 5v14 M5 12h14",
  up: "M6 14l6-6 6 6",
  join: "M12 3v6 M9 6l3 3 3-3 M12 21v-6 M9 18l3-3 3 3 M5 12h14",
  help: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18 M9.500 9.600a2.600 2.600 0 1 1 3.700 2.400c-.8.400-1.200.9-1.200 1.700 M12 16.800v.1",
  file: "M3.500 6.500a1.500 1.500 0 0 1 1.500-1.500h4l2 2.500h8a1.500 1.500 0 0 1 1.500 1.500v9a1.500 1.500 0 0 1-1.500 1.500h-14a1.500 1.500 0 0 1-1.500-1.500z",
  crowd: "M8 4a2.5 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5 M3.500 19v-3a4.500 4.500 0 0 1 9 0v3 M16.500 5.500a2 2 0 1 0 0 4 2 2 0 0 0 0-4 M15 12.500a3.800 3.800 0 0 1 5.500 3.500v3",
} as const;
export type Icon = keyof typeof paths;

export function icon(name: Icon): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", paths[name]);
  svg.append(path);
  return svg;
}

/** A button with an icon; its words are its label and tip. */
export function iconButton(name: Icon, click: () => void, kind = "bare"): HTMLButtonElement {
  return h("button", { class: `button ${kind}`, type: "button", onclick: click }, icon(name));
}

/** Words of an icon button. */
export function label(element: HTMLElement, words: string): void {
  element.setAttribute("aria-label", words);
  element.title = words;
}

export function button(words: string, click: () => void, kind = ""): HTMLButtonElement {
  return h("button", { class: `button ${kind}`, type: "button", onclick: click }, words);
}
