/** The page's own style; the pictures carry theirs. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --ground: #ffffff; --text: #1f2328; --line: #d1d9e0; }
@media (prefers-color-scheme: dark) { :root { --ground: #0d1117; --text: #e6edf3; --line: #3d444d; } }
body { margin: 0; background: var(--ground); color: var(--text); font: 16px/1.55 system-ui, sans-serif; }
main { max-width: 76rem; margin: 0 auto; padding: 0.75rem; }
h1 { font-size: 1.7rem; line-height: 1.25; }
h2 { font-size: 1.25rem; margin-top: 2.5rem; }
h3 { font-size: 1.1rem; margin-top: 2rem; }
p { max-width: 44rem; }
figure { margin: 0 0 2rem; }
figure > svg { display: block; width: 100%; max-width: 44rem; height: auto; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.875rem; font-variant-numeric: tabular-nums; }
caption { text-align: start; padding: 0.5rem 0; }
th, td { padding: 0.3rem 0.6rem; border-bottom: 1px solid var(--line); text-align: end; }
td { white-space: nowrap; }
thead th { vertical-align: bottom; }
tbody th { text-align: start; font-weight: 400; }
tbody th, thead td { position: sticky; inset-inline-start: 0; background: var(--ground); min-width: 8rem; }
`;
