// Before the first paint, so that a chosen theme does not flash the other one; a file, since inline scripts are refused.
try {
  const theme = localStorage.getItem('console.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be switched off; then the system's theme holds.
}
