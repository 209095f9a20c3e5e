using System.Diagnostics;
using System.Net;
using System.Net.Sockets;

namespace Ioxide.Files.Tests;

/// <summary>nginx over one folder, on a unix socket; skipped where it is not installed.</summary>
internal sealed class NginxServer : IDisposable
{
    private static readonly string[] s_programs = ["/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/sbin/nginx"];

    private readonly Process _process;
    private readonly TestFolder _work;

    private NginxServer(Process process, TestFolder work, EndPoint endPoint)
    {
        _process = process;
        _work = work;
        EndPoint = endPoint;
    }

    internal EndPoint EndPoint { get; }

    internal static async Task<NginxServer> StartAsync(string folder)
    {
        string? program = s_programs.FirstOrDefault(File.Exists);
        Assert.SkipWhen(program is null, "nginx is not installed.");
        var work = new TestFolder();
        string socket = work["nginx.sock"];
        await File.WriteAllTextAsync(work["nginx.conf"], $$"""
            daemon off;
            master_process off;
            pid {{work["pid"]}};
            error_log stderr crit;
            events { }
            http {
                access_log off;
                types { text/css css; text/plain txt; }
                client_body_temp_path {{work["client"]}};
                proxy_temp_path {{work["proxy"]}};
                fastcgi_temp_path {{work["fastcgi"]}};
                uwsgi_temp_path {{work["uwsgi"]}};
                scgi_temp_path {{work["scgi"]}};
                gzip_static on;
                gzip_vary on;
                if_modified_since before;
                keepalive_requests 100000;
                server {
                    listen unix:{{socket}};
                    root {{folder}};
                }
            }
            """);
        Process process = Process.Start(new ProcessStartInfo(program!, ["-c", work["nginx.conf"], "-e", "stderr"]) { RedirectStandardError = true })!;
        var server = new NginxServer(process, work, new UnixDomainSocketEndPoint(socket));
        await server.WaitAsync().Within(20.Seconds(), "nginx accepts");
        return server;
    }

    public void Dispose()
    {
        _process.Kill();
        _process.WaitForExit();
        _process.Dispose();
        _work.Dispose();
    }

    private async Task WaitAsync()
    {
        while (true)
        {
            Assert.False(_process.HasExited, "nginx has ended.");
            using Socket probe = RawSocket.Create(EndPoint);
            try
            {
                await probe.ConnectAsync(EndPoint);
                return;
            }
            catch (SocketException)
            {
                await Task.Yield();
            }
        }
    }
}
