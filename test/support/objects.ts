/** The moment at which pure tests take place. */
export const T0 = Date.parse('2026-03-01T12:00:00Z');
export const BASE_URL = 'https://api.example.test';
