using System.Text;
using Ioxide.Pg;

namespace Ioxide.Fuzz;

/// <summary>Connection strings, addresses and password files.</summary>
internal sealed class PgOptionsTarget() : FuzzTarget("pg-options")
{
    internal override IEnumerable<byte[]> Seeds()
    {
        yield return "Host=a,b:5433;Port=5432;Username='it''s';Password=\"a;b\";Database = d ;SSL Mode=Require;Maximum Pool Size=4;Timeout=15"u8.ToArray();
        yield return "postgresql://user:p%40ss@[2001:db8::1]:5432,other:1/db?sslmode=verify-full&target_session_attrs=any&options=-c%20a%3Db"u8.ToArray();
        yield return "host=/run/postgresql dbname=d user=u keepalives=1 connect_timeout=3"u8.ToArray();
        yield return "localhost:5432:*:user:pass\\:word\n# comment\n*:*:*:*:x\n"u8.ToArray();
    }

    internal override void Read(ReadOnlySpan<byte> input)
    {
        string text = Encoding.UTF8.GetString(input);
        _ = PasswordFile.Find(text, "localhost", "5432", "d", "user");
        try
        {
            _ = PgDataSourceOptions.Parse(text);
        }
        catch (ArgumentException)
        {
            // Refused, with the keyword.
        }
    }
}
