using Microsoft.AspNetCore.Builder;

namespace Ioxide.Files.Tests;

/// <summary>A request for a file that is refused gets the application's page, as routing's own refusals and those of stock static files do.</summary>
public class StatusPagesTests
{
    [Theory]
    [InlineData(405, "POST /a.txt", "Content-Length: 0")]
    [InlineData(404, "GET /gone.txt", "Accept: */*")]
    [InlineData(406, "GET /a.txt", "Accept-Encoding: identity;q=0")]
    [InlineData(412, "GET /a.txt", "If-Match: \"another\"")]
    [InlineData(416, "GET /a.txt", "Range: bytes=999-")]
    public async Task ARefusalGetsTheApplicationsPage(int status, string request, string header)
    {
        using TestFolder folder = new TestFolder().With("a.txt", "a").With("gone.txt", new string('g', 5000));
        await using FileServer server = await FileServer.StartAsync(new FileServerSetup
        {
            Folder = folder.Path,
            Options = static options => options.MemoryBudget = 1000,
            BeforeRouting = static app => app.UseStatusCodePages(),
        });
        File.Delete(folder["gone.txt"]);
        using RawClient client = await server.ConnectAsync();
        RawResponse page = await client.AskAsync(RawClient.Request(request, $"{header}\r\n"));
        Assert.Equal(status, page.Status);
        Assert.StartsWith($"Status Code: {status}; ", page.Text, StringComparison.Ordinal);

        // The connection is still in order.
        Assert.Equal("a", (await client.GetAsync("/a.txt")).Text);
    }
}
