import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  // Relative addresses: the same bundle is served at the root of the window and by `weft serve`.
  base: './',
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // The oldest engine that Weft runs in is WebKitGTK 2.40 (Safari 16.4).
    target: ['es2022', 'safari16.4', 'chrome111'],
    // The content security policy has no data: for fonts and scripts, so nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1500,
  },
});
