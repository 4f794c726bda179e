import { defineConfig } from "vite";

// One page, served by the binary; no address from outside.
export default defineConfig({
  base: "/",
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1500,
  },
  server: { proxy: { "/ws": { target: "ws://127.0.0.1:4660", ws: true } } },
});
