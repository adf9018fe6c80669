// The element's styles, as a constructed style sheet: a strict Content-Security-Policy allows those.

export const sheet = new CSSStyleSheet();

sheet.replaceSync(`
:host {
  --tessera-background: #17181a;
  --tessera-surface: rgb(24 25 28 / 72%);
  --tessera-text: #f4f4f2;
  --tessera-ink: #f4f4f2;
  --tessera-accent: #6fd3cf;
  display: block;
  position: relative;
  overflow: hidden;
  min-height: 8rem;
  background: var(--tessera-background);
  color: var(--tessera-text);
  font: 0.875rem/1.4 -apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, Helvetica, Arial, system-ui, sans-serif;
  contain: layout paint style;
  -webkit-tap-highlight-color: transparent;
}
:host([hidden]) { display: none; }
.stage {
  position: absolute;
  inset: 0;
  outline: none;
  cursor: grab;
  touch-action: var(--tessera-touch-action, pan-y);
  user-select: none;
  -webkit-user-select: none;
}
.stage.pannable { touch-action: none; }
.stage.grabbed { cursor: grabbing; }
.stage:focus-visible::after {
  content: "";
  position: absolute;
  inset: 0;
  border: 3px solid var(--tessera-accent);
  pointer-events: none;
}
canvas { display: block; }
.stage > canvas { position: absolute; left: 0; top: 0; width: 100%; height: 100%; }
.range { position: absolute; left: 0; top: 0; width: 0; height: 0; transform-origin: 0 0; pointer-events: none; }
.range > img { position: absolute; max-width: none; }

.controls {
  position: absolute;
  right: max(0.75rem, env(safe-area-inset-right));
  bottom: max(0.75rem, env(safe-area-inset-bottom));
  display: flex;
  align-items: center;
  gap: 0.125rem;
  padding: 0.25rem;
  border-radius: 0.875rem;
  background: var(--tessera-surface);
  -webkit-backdrop-filter: blur(14px) saturate(1.4);
  backdrop-filter: blur(14px) saturate(1.4);
  box-shadow: 0 0 0 1px rgb(255 255 255 / 8%), 0 4px 18px rgb(0 0 0 / 30%);
}
:host([controls="none"]) .controls { display: none; }
button {
  all: unset;
  box-sizing: border-box;
  display: grid;
  place-items: center;
  min-width: 2.5rem;
  height: 2.5rem;
  border-radius: 0.625rem;
  cursor: pointer;
  -webkit-tap-highlight-color: transparent;
}
button:hover { background: rgb(255 255 255 / 12%); }
button:active { background: rgb(255 255 255 / 20%); }
button:focus-visible { outline: 2px solid var(--tessera-accent); outline-offset: -2px; }
button[aria-disabled="true"] { opacity: 0.35; cursor: default; background: none; }
svg {
  width: 1.25rem;
  height: 1.25rem;
  fill: none;
  stroke: currentColor;
  stroke-width: 1.75;
  stroke-linecap: round;
  stroke-linejoin: round;
}
.percent {
  min-width: 3.5rem;
  text-align: center;
  font-variant-numeric: tabular-nums;
  opacity: 0.9;
}
.rule { width: 1px; height: 1.5rem; margin: 0 0.25rem; background: rgb(255 255 255 / 16%); }

.minimap {
  position: absolute;
  left: max(0.75rem, env(safe-area-inset-left));
  bottom: max(0.75rem, env(safe-area-inset-bottom));
  padding: 4px;
  border-radius: 0.625rem;
  background: var(--tessera-surface);
  box-shadow: 0 0 0 1px rgb(255 255 255 / 8%), 0 4px 18px rgb(0 0 0 / 30%);
  opacity: 0;
  visibility: hidden;
  transition: opacity 0.2s, visibility 0.2s;
  cursor: crosshair;
  touch-action: none;
}
.minimap.shown { opacity: 1; visibility: visible; }
.minimap canvas { border-radius: 0.375rem; }

.notice {
  position: absolute;
  inset: 0;
  display: grid;
  place-content: center;
  justify-items: center;
  gap: 1rem;
  padding: 2rem;
  text-align: center;
  pointer-events: none;
}
.notice:empty { display: none; }
.notice p { margin: 0; max-width: 28rem; color: var(--tessera-ink); font-size: 1rem; }
.notice button, .chip button {
  pointer-events: auto;
  padding: 0 1.125rem;
  background: var(--tessera-text);
  color: #17181a;
  font-weight: 600;
}
.chip {
  position: absolute;
  top: 0.75rem;
  left: 50%;
  transform: translateX(-50%);
  display: flex;
  align-items: center;
  gap: 0.75rem;
  padding: 0.375rem 0.375rem 0.375rem 1rem;
  border-radius: 0.875rem;
  background: var(--tessera-surface);
  -webkit-backdrop-filter: blur(14px);
  backdrop-filter: blur(14px);
  box-sizing: border-box;
  width: max-content;
  max-width: calc(100% - 1.5rem);
}
.chip button { flex: none; }
.chip:empty { display: none; }
.chip > span:only-child { padding: 0.375rem 0.625rem 0.375rem 0; }
.chip button { height: 2.25rem; }

.spinner {
  width: 2.25rem;
  height: 2.25rem;
  border-radius: 50%;
  border: 3px solid rgb(127 127 127 / 30%);
  border-top-color: var(--tessera-accent);
  animation: spin 0.9s linear infinite, appear 0.15s 0.3s backwards;
}
@keyframes spin { to { transform: rotate(1turn); } }
@keyframes appear { from { opacity: 0; } }

dialog {
  box-sizing: border-box;
  width: min(26rem, calc(100vw - 2rem));
  padding: 1.5rem;
  border: 0;
  border-radius: 1rem;
  background: #212326;
  color: inherit;
  box-shadow: 0 20px 60px rgb(0 0 0 / 50%);
}
dialog::backdrop { background: rgb(0 0 0 / 50%); }
dialog h2 { margin: 0 0 1rem; font-size: 1.125rem; }
dialog dl {
  display: grid;
  grid-template-columns: auto 1fr;
  gap: 0.5rem 1.25rem;
  margin: 0 0 1.25rem;
  align-items: baseline;
}
dialog dt { white-space: nowrap; }
dialog dd { margin: 0; color: #c9cac6; }
kbd {
  display: inline-block;
  min-width: 1.5em;
  padding: 0.0625rem 0.375rem;
  border-radius: 0.3125rem;
  background: rgb(255 255 255 / 10%);
  box-shadow: inset 0 -1px 0 rgb(255 255 255 / 18%);
  font: inherit;
  font-size: 0.8125rem;
  text-align: center;
}
dialog button { padding: 0 1.125rem; background: rgb(255 255 255 / 12%); }

.unseen {
  position: absolute;
  width: 1px;
  height: 1px;
  overflow: hidden;
  clip-path: inset(50%);
  white-space: nowrap;
}
@container stage (max-width: 560px) { .wide { display: none; } }
.frame { position: absolute; inset: 0; container: stage / inline-size; }

@media (prefers-reduced-motion: reduce) {
  .minimap { transition: none; }
  .spinner { animation-duration: 3s, 0.01s; }
}
@media (forced-colors: active) {
  .controls, .minimap, .chip { border: 1px solid; }
}
`);
