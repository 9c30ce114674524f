import { loadProduct } from './life/product.ts';
import { Stage } from './hunt/play.ts';
import { nameOf, sweepPlot } from './hunt/plot.ts';
import { WORKLOADS } from './sweep/workloads.ts';
import { FATES } from './sweep/fates.ts';
import { lineOf, logLine, clock } from './hunt/story.ts';
const src = process.env.SRC ?? '/work/wt/d/src';
const stage = new Stage(await loadProduct(src));
const only = process.argv[2];
if (only === 'seeds') { const [from, to] = [Number(process.argv[3]), Number(process.argv[4])]; const t = performance.now(); const rules = new Map<string, number[]>(); for (let seed = from; seed < to; seed++) { const { violations } = await stage.play({ type: 'seed', seed }); for (const rule of new Set(violations.map((v) => v.rule))) rules.set(rule, [...(rules.get(rule) ?? []), seed]); } console.log(to - from, ((performance.now() - t) / 1000).toFixed(1)); for (const [rule, seeds] of rules) console.log(rule, seeds.length, seeds.slice(0, 12).join(' ')); process.exit(0); }
if (only) {
  const log = process.argv[3] === '--log';
  const { violations } = await stage.play(/^\d+$/.test(only) ? { type: 'seed', seed: Number(only) } : sweepPlot(only), { listen: (f) => { const l = log ? logLine(f) : lineOf(f) && `${clock(f.at)} ${lineOf(f)!.text}`; if (l) console.log(l.slice(0, 700)); } });
  for (const v of violations) console.log('BROKEN', v.rule, v.subject, v.text);
} else {
let n = 0; const t0 = performance.now(); const rules = new Map<string, string[]>();
for (const w of WORKLOADS) {
  const points = await stage.sweep.pointsOf(w);
  for (let point = 1; point <= points; point++) for (const fate of FATES) {
    if (fate === w.not) continue;
    n++;
    const plot = { type: 'sweep', workload: w.name, point, fate } as const;
    const { violations } = await stage.play(plot);
    for (const rule of new Set(violations.map((v) => v.rule))) { const k = `${rule} | ${fate}`; rules.set(k, [...(rules.get(k) ?? []), nameOf(plot)]); }
  }
}
console.log(n, ((performance.now()-t0)/1000).toFixed(1));
for (const [rule, plots] of [...rules].sort()) console.log(rule, plots.length, plots.slice(0, 6).join(' '));
}
