import { StrictMode, createElement } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './App'

createRoot(document.querySelector('main')).render(createElement(StrictMode, null, createElement(App)))
