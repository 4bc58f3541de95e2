document.querySelector('#app').innerHTML = `
  <div class="result" id="result">Please enter your name below</div>
  <input class="input" id="name" type="text" autocomplete="off" />
  <button class="button" id="greet">Greet</button>
`;
const field = document.querySelector('#name');
field.focus();
document.querySelector('#greet').addEventListener('click', async () => {
  document.querySelector('#result').textContent = await window.go.main.App.Greet(field.value);
});
