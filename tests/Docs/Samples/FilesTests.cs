using System.Net;

namespace Ioxide.Docs.Tests;

/// <summary><c>samples/Files</c> as <c>dotnet publish</c> copies it to another place: it starts there and has its files with their siblings.</summary>
public class FilesTests
{
    [Fact]
    public async Task WhatIsPublishedServesTheFiles()
    {
        string configuration = new DirectoryInfo(AppContext.BaseDirectory).Name;
        DirectoryInfo folder = Directory.CreateTempSubdirectory("ioxide-published-");
        try
        {
            await Tool.RunAsync(
                ["dotnet", "publish", Path.Combine(Repository.Root, "samples/Files"), "--no-build", "-c", configuration, "-o", folder.FullName, "--nologo"]);
            await using HostProcess host = HostProcess.StartCommand(
                ["dotnet", Path.Combine(folder.FullName, "Files.dll"), "--urls", "http://127.0.0.1:0"],
                ("DOTNET_hostBuilder__reloadConfigOnChange", "false"));
            using HttpClient client = new() { BaseAddress = await host.ListeningAsync(), Timeout = Waits.Generous(60.Seconds()) };
            client.DefaultRequestHeaders.Add("Accept-Encoding", "br");

            using HttpResponseMessage page = await client.GetAsync(new Uri("/", UriKind.Relative));
            Assert.Equal((HttpStatusCode.OK, "br"), (page.StatusCode, Assert.Single(page.Content.Headers.ContentEncoding)));
            Assert.Equal(0, await host.StopAsync());
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }
}
