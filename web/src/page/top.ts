// The bar above everything: which database, undo and redo, language, light and dark, the list of keys.

import { currentLanguage, onLanguage, t } from "../i18n";
import { change } from "../names";
import type { Studio } from "../studio";
import { button, h, iconButton, label } from "../ui/dom";

export interface TopActions {
  language(): void;
  theme(): void;
  help(): void;
}

export function topBar(studio: Studio, actions: TopActions): HTMLElement {
  const database = h("small", {});
  const undo = iconButton("undo", () => studio.send({ intent: "undo" }));
  const redo = iconButton("redo", () => studio.send({ intent: "redo" }));
  const away = h("div", { class: "link-state", role: "status", hidden: true });
  const language = button("", actions.language, "bare");
  const theme = iconButton("sun", actions.theme);
  const help = iconButton("help", actions.help);
  const tell = () => {
    database.textContent = studio.database;
    undo.disabled = studio.undo === null || !studio.connected;
    redo.disabled = studio.redo === null || !studio.connected;
    label(undo, studio.undo ? `${t("undo")}: ${change(studio.undo)}` : t("undo"));
    label(redo, studio.redo ? `${t("redo")}: ${change(studio.redo)}` : t("redo"));
    document.title = studio.document.clip ? `${studio.document.clip} – Ugoki` : "Ugoki";
  };
  studio.on("document", tell);
  studio.on("connected", (is) => {
    away.hidden = is;
    tell();
  });
  onLanguage(() => {
    away.textContent = t("away");
    language.textContent = t("language");
    language.lang = currentLanguage() === "en" ? "ja" : "en";
    label(theme, t("theme"));
    label(help, t("keyHelp"));
    tell();
  });
  const brand = h("h1", { class: "brand" }, h("img", { src: "/mark.svg", alt: "" }), "Ugoki", database);
  return h("header", { class: "top" }, brand, h("span", { class: "space" }), away, undo, redo, language, theme, help);
}
