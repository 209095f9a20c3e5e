using System.Text;

namespace Ioxide.Pg;

/// <summary>Statements of texts that are not known when the program is written, by text; the least recently added go first.</summary>
/// <remarks>Threads: any. A connection that still has one of a text that fell out gives it up when its slot is needed.</remarks>
internal sealed class StatementCache(int maxTexts)
{
    // Application code alone comes here, and no state of a reactor is half changed then: a wait for it may turn the ring.
    private readonly Lock _lock = new();
    private readonly Queue<string> _order = new();
    private volatile Dictionary<string, PgStatement> _byText = new(StringComparer.Ordinal);

    internal PgStatement Get(string sql)
    {
        ArgumentNullException.ThrowIfNull(sql);
        return _byText.TryGetValue(sql, out PgStatement? statement) ? statement : Add(sql);
    }

    private PgStatement Add(string sql)
    {
        lock (_lock)
        {
            if (_byText.TryGetValue(sql, out PgStatement? existing))
            {
                return existing;
            }

            // Readers take no lock: they see the old table or the new one.
            var copy = new Dictionary<string, PgStatement>(_byText, StringComparer.Ordinal);
            if (_order.Count >= maxTexts)
            {
                copy.Remove(_order.Dequeue());
            }

            PgStatement statement = PgStatement.CreateDynamic(Encoding.UTF8.GetBytes(sql), PgStatementOptions.None);
            copy.Add(sql, statement);
            _order.Enqueue(sql);
            _byText = copy;
            return statement;
        }
    }
}
