using Microsoft.AspNetCore.SignalR;

namespace Chat;

/// <summary>What one says, all are told.</summary>
internal sealed class ChatHub : Hub
{
    internal const string Said = "said";

    // Without the token of the sender: what waits for a slow receiver is sent there also when the sender has left.
    public Task Say(string name, string text) => Clients.All.SendAsync(Said, name, text);
}
