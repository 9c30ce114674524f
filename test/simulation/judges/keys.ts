import type { Judge } from '../oracles/court.ts';

/** No key, nor its id, in any log line, request, status, event or metric. */
export const keys: Judge = (life, court) => {
  let known = 0;
  let needles: readonly string[] = [];
  const search = (where: string, subject: string, text: string): void => {
    if (known !== life.secrets.size) {
      known = life.secrets.size;
      needles = [...life.secrets].flatMap(spellings);
    }
    for (const needle of needles)
      if (text.includes(needle)) court.report('keys shown', subject, `${where} shows "${needle}"`);
  };

  life.chronicle.listen((fact) => {
    switch (fact.what) {
      case 'log':
        return search('a log line', fact.process, fact.line);
      case 'page':
        return search('a metric', fact.process, fact.text);
      case 'asked':
        return search('a request to the API server', fact.process, fact.ask.path + fact.ask.body);
      case 'leaves':
        return search('a call', fact.call.target, fact.call.path + fact.call.text);
      default:
        return undefined;
    }
  });
  return {};
};

function spellings(key: string): string[] {
  const inJson = JSON.stringify(key).slice(1, -1);
  // Its last digit depends on what follows.
  const base64 = Buffer.from(key).toString('base64').replace(/=+$/, '').slice(0, -1);
  return [...new Set([key, inJson, encodeURIComponent(key), base64])];
}
