// Colours that people with any colour vision tell apart (Okabe and Ito), the light ones darkened until
// their lines have a contrast of 3 to white. Dashes carry the same distinction without colour.
export const kColours = ['#0072b2', '#c65300', '#00805e', '#a8477f', '#1b1f24', '#9a6400', '#2479ad'];
export const kDashes = [[], [7, 4], [2, 3], [9, 3, 2, 3], [12, 3], [5, 2, 1, 2, 1, 2], [3, 2]];

export const kStable = '#0072b2';
export const kUnstable = '#b3261e';
export const kFaint = '#8c959f';

export const colour = (i) => kColours[i % kColours.length];
export const dash = (i) => kDashes[i % kDashes.length];
