using System.Net.Http.Json;

namespace Ioxide.Pg.Tests;

/// <summary><c>samples/Dapper</c> with a connection string: its rows are in that database, and are there when it starts again.</summary>
[Once]
public sealed class DapperSampleTests
{
    [Fact]
    public async Task TheRowsAreInTheDatabaseThatItWasGiven()
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        string database = await server.DatabaseAsync<DapperSampleTests>();
        string connectionString = $"Host={server.SocketFolder};Port={server.Port};Username={PgUsers.Trust};Database={database}";

        // What SQL would take for its own arrives as it is, because Dapper sends it as a parameter.
        string[] texts = ["Buy bread", "'); drop table notes; --"];
        foreach (string text in texts)
        {
            await using HostProcess sample = HostProcess.Start("DapperSample", ["--urls", "http://127.0.0.1:0", connectionString]);
            using HttpClient client = new() { BaseAddress = await sample.ListeningAsync(), Timeout = Waits.Generous(60.Seconds()) };
            using HttpResponseMessage added = await client.PostAsJsonAsync("/notes", new { text });
            Assert.True(added.IsSuccessStatusCode, $"{added.StatusCode}\n{sample.Output}");
            Note[]? notes = await client.GetFromJsonAsync<Note[]>("/notes");
            Assert.Equal(text, notes?[^1].Text);
            Assert.Equal(0, await sample.StopAsync());
        }

        Assert.Equal(string.Join('\n', texts.Select(static (text, index) => $"{index + 1}|{text}")), await server.RunSqlAsync("select id, text from notes order by id", database));
    }

    private sealed record Note(int Id, string Text);
}
