import { render } from 'preact';
import '../styles/tokens.css';
import '../styles/base.css';
import '../styles/frame.css';
import '../styles/parts.css';
import './reference.css';
import { App } from './app.tsx';
import { startPlace } from './place.ts';

startPlace();
const root = document.getElementById('root');
if (root !== null) render(<App />, root);
