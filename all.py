import subprocess,re,os,json,sys
T='/tmp/h/fix1-tmp'; N=os.environ['N']
doc=open('/tmp/h/fix1/docs/configuration.md').read()
names=re.findall(r'^## `(MILLRACE_\w+)`',doc,re.M)
vals=['   ','-1','1e9','1000000000','é☃','a\nb','postgres://u:GEHEIM@h/db','/etc/passwd','\x1b[31mx','0','0x10','Infinity','99999999999999999999','١٢٣','5 s','5S','null','true ', '﻿8080','a'*5000]
for n in names:
  if len(sys.argv)>1 and n not in sys.argv[1:]: continue
  for v in vals:
    env=dict(os.environ); env[n]=v
    env.setdefault('MILLRACE_DATA_DIR',T+'/d1')
    if n!='MILLRACE_PORT': env.setdefault('MILLRACE_PORT','0')
    try:
      p=subprocess.run([N,'/tmp/h/fix1/packages/server/bin/millrace.js','start'],env=env,capture_output=True,text=True,timeout=1.5,cwd=T)
      rc=p.returncode; e=p.stderr
    except subprocess.TimeoutExpired as x:
      rc='RUNS'; e=(x.stderr or b'').decode()
    first=[l for l in e.split('\n') if l.strip() and not l.startswith('{')]
    bad=''
    if 'GEHEIM' in e and ('URL' in n): bad+=' SECRET'
    if '\n    at ' in e: bad+=' STACK'
    if rc not in ('RUNS',) and n not in e: bad+=' NONAME'
    print(n,repr(v)[:30],rc,bad,'|',' // '.join(first)[:170])
