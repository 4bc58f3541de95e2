/** Prose with every kind of formatting. */
export const prose = `# Counting apples

An empty basket is \`null\` in the list, so its *place* was counted. **Full baskets** were right all along; ~~the list~~ the [documentation](https://orchard.example/docs) says so.[^1]

## What changed

1. \`count\` leaves out empty baskets.
2. The tests cover both:
   - a full basket,
   - an empty one.

- [x] the count
- [ ] the tests

> Rows are counted once, from the top.

\`\`\`js
// Baskets that hold something.
export const count = (baskets) => baskets.filter((basket) => basket !== null).length;
const label = \`\${count([1, null])} of 2\`;
\`\`\`

| basket | before | now |
|:--|--:|--:|
| red | 1 | 1 |
| empty | 1 | 0 |

### Not done

The words on the signs are still the old ones.

---

[^1]: In the chapter about harvests.
`;

export const math = `A crate costs $5 and two cost $10. The area is $\\pi r^2$, or \\(2\\pi\\int_0^R r\\,dr\\).

$$
\\int_0^1 x^2 \\, dx = \\frac{1}{3}
$$

\`\`\`math
\\begin{aligned}
\\sum_{i=1}^{n} i &= \\frac{n(n+1)}{2} \\\\
\\sqrt{e} &\\approx 1.65
\\end{aligned}
\`\`\`

A broken one: $\\frac{1}$ and its neighbor.
`;

export const folds = `Two ways to store the crates.

<details open>
<summary>The *long* way</summary>

Line by line:

- apples
- pears

<details>
<summary>And the log</summary>

Nothing.

</details>

</details>

<details>
<summary>The short way</summary>

All at once.

</details>
`;

export const places = `The count is in \`src/apples.js:14\`, the rows in \`src/rows.ts\`; \`test/none.js\` is no file. See [the scales](src/scales.js).
`;

export const diagrams: readonly (readonly [of: string, text: string])[] = [
  [
    'A flow chart',
    `\`\`\`mermaid
flowchart LR
  tree[Apple tree] --> crate{Full crate?}
  crate -->|yes| press[Press]
  crate -->|no| tree
  press --> juice[(Juice)]
\`\`\`
`,
  ],
  [
    'A sequence',
    `\`\`\`mermaid
sequenceDiagram
  Ada->>Robin: Count the apples
  Robin->>Scales: weigh
  Scales-->>Robin: 118.4 kg
  Note over Robin: One is green
  Robin-->>Ada: Twelve
\`\`\`
`,
  ],
  [
    'A pie',
    `\`\`\`mermaid
pie
  "red" : 7
  "yellow" : 4
  "green" : 1
\`\`\`
`,
  ],
];

export const brokenDiagram = `\`\`\`mermaid
flowchart LR
  tree[Apple tree --> crate
\`\`\`
`;
