// What the pages do better with a little script: copying, refreshing, no double sending. All of it works without.
"use strict";

function armCopies(root) {
  if (!navigator.clipboard) return;
  for (const b of root.querySelectorAll("button[data-copy][hidden]")) b.hidden = false;
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-copy]");
  if (!button) return;
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.classList.add("done");
    setTimeout(() => button.classList.remove("done"), 1200);
  } catch {
    button.hidden = true;
  }
});

// The server does nothing twice; this only spares the reader a second answer.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.hasAttribute("data-once")) return;
  if (form.dataset.sent) {
    event.preventDefault();
    return;
  }
  form.dataset.sent = "1";
  const button = form.querySelector("button:not([type=button])");
  if (button) button.setAttribute("aria-busy", "true");
});
window.addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
});

// A part that the reader works in is left alone.
function busy(part) {
  return part.contains(document.activeElement) || part.querySelector("details[open]") !== null || String(getSelection()) !== "";
}

async function refresh(parts) {
  const idle = parts.filter((part) => !busy(part));
  if (document.hidden || idle.length === 0) return true;
  const answer = await fetch(location.href, { headers: { "X-Refresh": "1" }, redirect: "error", credentials: "same-origin" });
  if (!answer.ok) return false;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of idle) {
    const next = fresh.getElementById(part.id);
    if (next && next.innerHTML !== part.innerHTML) part.replaceChildren(...next.childNodes);
    armCopies(part);
  }
  for (const [from, to] of [[".side nav", ".side nav"], ["footer", "footer"]]) {
    const now = document.querySelector(from), next = fresh.querySelector(to);
    if (now && next && !now.contains(document.activeElement)) now.replaceChildren(...next.childNodes);
  }
  return true;
}

function keepFresh() {
  const parts = [...document.querySelectorAll("[data-refresh]")].filter((part) => Number(part.dataset.refresh) > 0);
  if (parts.length === 0) return;
  const pause = Math.min(...parts.map((part) => Number(part.dataset.refresh))) * 1000;
  const again = () => setTimeout(async () => {
    let go = true;
    try { go = await refresh(parts); } catch { go = true; }
    if (go) again();
  }, pause);
  again();
}

armCopies(document);
keepFresh();
