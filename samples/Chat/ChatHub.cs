using Microsoft.AspNetCore.SignalR;

namespace Chat;

/// <summary>What one says, all are told.</summary>
internal sealed class ChatHub : Hub
{
    internal const string Said = "said";

    public Task Say(string name, string text) => Clients.All.SendAsync(Said, name, text, Context.ConnectionAborted);
}
