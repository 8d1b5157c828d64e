-- A session of Neovim with the server: what a person would do, and what they see.
-- Written to the file $RESULT. Each wait ends when the thing is there.

local out = {}
local function say(text) table.insert(out, text) end
local PATIENCE = 60000 -- only so that a broken server does not hang the tests

local function finish(code)
  vim.fn.writefile(out, vim.env.RESULT)
  vim.cmd(code == 0 and "qall!" or "cquit!")
end

local function wait(what, condition)
  if not vim.wait(PATIENCE, condition, 20) then
    say("waited in vain for " .. what)
    finish(1)
  end
end

local function run()
  local buffer = vim.api.nvim_get_current_buf()
  vim.bo.filetype = "dag"
  local id = vim.lsp.start_client({
    name = "hayward",
    cmd = { vim.env.HAYWARD, "lsp" },
    root_dir = vim.fn.getcwd(),
  })
  vim.lsp.buf_attach_client(buffer, id)
  wait("the server", function() return vim.lsp.buf_get_clients(buffer)[id] ~= nil end)

  local function place(line, piece)
    local text = vim.api.nvim_buf_get_lines(buffer, line - 1, line, true)[1]
    local column = string.find(text, piece, 1, true) - 1
    vim.api.nvim_win_set_cursor(0, { line, column })
  end
  local function ask(method, more)
    local params = vim.tbl_extend("force", vim.lsp.util.make_position_params(0, "utf-16"), more or {})
    local answers = vim.lsp.buf_request_sync(buffer, method, params, PATIENCE)
    local answer = answers[id] or {}
    return answer.result, answer.error
  end
  local function mistakes()
    local shown = {}
    for _, d in ipairs(vim.diagnostic.get(buffer)) do
      local first = vim.split(d.message, "\n")[1]
      table.insert(shown, string.format("%d:%d %s", d.lnum + 1, d.col + 1, first))
    end
    return shown
  end

  say("# diagnostics")
  wait("the mistakes", function() return #vim.diagnostic.get(buffer) > 0 end)
  for _, line in ipairs(mistakes()) do say(line) end

  say("# code action")
  place(7, "restrat")
  local actions = ask("textDocument/codeAction", {
    range = vim.lsp.util.make_range_params(0, "utf-16").range,
    context = { diagnostics = {} },
  })
  say(actions[1].title)
  vim.lsp.util.apply_workspace_edit(actions[1].edit, "utf-16")
  say(vim.fn.getline(7))
  wait("the cure", function() return #vim.diagnostic.get(buffer) == 0 end)

  say("# hover")
  place(7, "delay")
  local hover = ask("textDocument/hover")
  for _, line in ipairs(vim.split(hover.contents.value, "\n")) do say(line) end

  say("# definition")
  local definition = ask("textDocument/definition")
  vim.lsp.util.jump_to_location(definition[1], "utf-16")
  say(vim.fn.expand("%:t") .. ":" .. vim.fn.line(".") .. ": " .. vim.fn.getline("."))
  vim.cmd("buffer " .. buffer)

  say("# completion")
  vim.fn.setline(9, "data all: List<Service> = [base, ba]")
  vim.api.nvim_win_set_cursor(0, { 9, #"data all: List<Service> = [base, ba" })
  local completion = ask("textDocument/completion")
  local items = vim.lsp.util.extract_completion_items(completion)
  local labels = {}
  for _, item in ipairs(items) do
    if vim.startswith(item.label, "ba") then table.insert(labels, item.label) end
  end
  table.sort(labels)
  say(table.concat(labels, " "))
  vim.fn.setline(9, "data all: List<Service> = [base]")

  say("# rename")
  place(5, "name: String")
  local edit, refused = ask("textDocument/rename", { newName = "label" })
  if refused then say(refused.message) end
  vim.lsp.util.apply_workspace_edit(edit, "utf-16")
  say(vim.fn.getline(5))

  say("# signature")
  vim.fn.setline(7, "data wait: Int = delay()")
  vim.api.nvim_win_set_cursor(0, { 7, #"data wait: Int = delay(" })
  local help = ask("textDocument/signatureHelp")
  say(help.signatures[1].label)
  vim.fn.setline(7, "data wait: Int = delay(restart: base.restart)")

  say("# format")
  vim.fn.setline(9, "data   all: List<Service> =  [base]")
  local edits = ask("textDocument/formatting", { options = { tabSize = 2, insertSpaces = true } })
  vim.lsp.util.apply_text_edits(edits, buffer, "utf-16")
  say(vim.fn.getline(9))
  wait("no mistakes", function() return #vim.diagnostic.get(buffer) == 0 end)

  local client = vim.lsp.get_client_by_id(id)
  client.stop()
  wait("the end", function() return client.is_stopped() end)
  say("# stopped")
end

vim.api.nvim_create_autocmd("VimEnter", {
  callback = function()
    local sound, why = pcall(run)
    if not sound then say("stopped at: " .. tostring(why)) end
    finish(sound and 0 or 1)
  end,
})
